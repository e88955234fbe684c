"""One thin client for OpenAI-compatible endpoints, and the cache that makes every call paid for once."""
