"""The inspector: pages for whoever must find out why a look-up answered as it did."""
