// Returns what is hard to read or to operate on a page, as sentences.
() => {
  const faults = [];

  // Contrast of each text with what it stands on (WCAG 2.2, 1.4.3); large text may have less.
  const parse = (colour) => {
    const parts = colour.match(/[\d.]+/g).map(Number);
    return parts.length < 4 ? [...parts, 1] : parts;
  };
  const over = (top, under) =>
    [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const linear = (value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.push(parse(getComputedStyle(e).backgroundColor));
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!text || !element.checkVisibility() || element.closest(".unseen, .skip, option, svg")) continue;
    const under = ground(element);
    const [light, dark] = [luminance(over(parse(style.color), under)), luminance(under)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      faults.push(`contrast ${ratio.toFixed(2)}: ${element.className || element.tagName}: ${text.slice(0, 30)}`);
    }
  }

  // Names of everything that can be operated, for whoever does not see it.
  const operated = "input:not([type=hidden]), select, button, a, [role=img], nav, dialog, pre[tabindex]";
  for (const element of document.querySelectorAll(operated)) {
    const named = element.labels?.length || element.textContent.trim()
      || element.getAttribute("aria-label") || element.getAttribute("aria-labelledby");
    if (!named) faults.push(`no name: ${element.outerHTML.slice(0, 80)}`);
  }

  const ids = Array.from(document.querySelectorAll("[id]"), (element) => element.id);
  for (const id of new Set(ids.filter((one, place) => ids.indexOf(one) !== place))) faults.push(`id twice: ${id}`);
  return [...new Set(faults)];
}
