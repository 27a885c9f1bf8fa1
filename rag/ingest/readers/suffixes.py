"""File names that are plain text or source code."""

from __future__ import annotations


def _names(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


TEXT_SUFFIXES = _names(
    ".txt .text .log .csv .tsv .org .adoc .asciidoc .tex .bib .textile .wiki .srt .vtt .po",
)
TEXT_NAMES = _names(
    "readme license licence copying notice authors contributors changelog changes news",
    "install todo history thanks",
)
CODE_SUFFIXES = _names(
    # general languages
    ".py .pyi .pyx .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .java .kt .kts",
    ".scala .groovy .gradle .go .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs .fsx .vb",
    ".swift .dart .rb .php .pl .pm .lua .r .jl .hs .elm .ml .mli .clj .cljs .edn .ex .exs .erl",
    ".hrl .zig .nim .d .pas .f90 .f95 .for .lisp .el .scm .rkt .sol .v .sv .vhd .vhdl .asm .s",
    ".cu .cuh .metal",
    # shells, queries, styles, templates
    ".sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .awk .sql .psql .css .scss .sass .less .j2 .jinja",
    ".jinja2 .tmpl .tpl .mustache .hbs .ejs .erb",
    # data and interface descriptions, build and configuration
    ".json .jsonc .json5 .jsonl .ndjson .yaml .yml .toml .ini .cfg .conf .properties .xml .xsd",
    ".proto .thrift .graphql .gql .avsc .tf .hcl .nix .bzl .bazel .cmake .mk .mak .dockerfile",
    ".diff .patch",
)
CODE_NAMES = _names(
    "makefile gnumakefile dockerfile containerfile jenkinsfile vagrantfile procfile rakefile",
    "gemfile brewfile justfile build workspace codeowners",
)
