"""One thin client for OpenAI-compatible endpoints, and a cache, so that every call is paid for once."""
