"""Modules with the interfaces of other packages, so that existing programs change one import.

    import espalier.compat.pycrfsuite as pycrfsuite
    from espalier.compat import sklearn_crfsuite, seqeval, CRFPP

docs/python.md lists where they differ from the originals on purpose.
"""
