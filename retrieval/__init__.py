"""Retrieval: an embedder, a FAISS index, and the knowledge cards of the applications."""
