"""Requests and notifications, from the protocol's types to features and back. Nothing here decides
anything."""
