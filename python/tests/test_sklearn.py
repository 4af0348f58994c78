"""The estimator for scikit-learn."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

import espalier as es  # noqa: E402
from conftest import features  # noqa: E402
from espalier.sklearn import SequenceLabeler  # noqa: E402


@pytest.fixture(scope="module")
def some(sentences):
    return sentences[0][:120], sentences[1][:120]


def test_fit_predict_score(some):
    X, y = some
    labeler = SequenceLabeler(passes=5).fit(X, y)
    predicted = labeler.predict(X)
    assert list(predicted) == labeler.tagger_.tag_batch(X)
    assert labeler.score(X, y) == pytest.approx(es.evaluate_labels(y, list(predicted)).f1 / 100)
    marginals = labeler.predict_marginals(X[:2] + [[]])
    assert marginals[0].shape == (len(X[0]), len(labeler.classes_))
    assert marginals[2].shape == (0, len(labeler.classes_))


@pytest.mark.parametrize("learner", [name for name in es.LEARNERS if name != "brackets"])
def test_every_learner_can_be_an_estimator(learner, some):
    X, y = some
    labeler = clone(SequenceLabeler(learner)).fit(X[:30], y[:30])
    assert len(labeler.predict(X[:5])) == 5


def test_parameters_are_got_set_and_cloned(some):
    labeler = SequenceLabeler("crf", l2=0.5)
    assert labeler.get_params()["l2"] == 0.5
    copy = clone(labeler)
    assert copy.get_params() == labeler.get_params()
    copy.set_params(l2=2, passes=3, seed=7)
    assert (copy.l2, copy.passes, copy.seed) == (2, 3, 7)
    copy.set_params(passes=None)
    assert "passes" not in copy.get_params()
    with pytest.raises(ValueError):
        copy.set_params(nonsense=1)
    with pytest.raises(TypeError, match="no learner has a parameter 'nonsense'"):
        SequenceLabeler(nonsense=1)
    with pytest.raises(TypeError, match="Crf has no parameter 'beam'"):
        SequenceLabeler(beam=5).fit(*some)
    model = SequenceLabeler(es.Crf(l2=0.25), passes=2).fit(*some)
    assert model.tagger_.info.parameters["l2"] == "0.25"


def test_searches_over_parameters(some):
    search = GridSearchCV(SequenceLabeler(passes=2), {"l2": [0.1, 10], "dropout": [0, 0.3]}, cv=2).fit(*some)
    assert set(search.best_params_) == {"l2", "dropout"}
    assert len(search.cv_results_["params"]) == 4
    assert len(search.predict(some[0])) == len(some[0])


def test_cross_validation_functions(some):
    X, y = some
    predicted = cross_val_predict(SequenceLabeler(passes=2), X, y, cv=3)
    assert [len(p) for p in predicted] == [len(s) for s in y]
    assert len(cross_val_score(SequenceLabeler(passes=2), X, y, cv=3)) == 3


def test_pipelines(some):
    X, y = some
    pipeline = make_pipeline(FunctionTransformer(lambda S: [features(s) for s in S]), SequenceLabeler(passes=20))
    pipeline.fit(X, y)
    assert pipeline.score(X, y) > 0.5
    pipeline.set_params(sequencelabeler__l2=3)
    assert pipeline.named_steps["sequencelabeler"].l2 == 3


def test_pickles(some):
    X, y = some
    labeler = SequenceLabeler(passes=2, l2=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(labeler))
    assert list(again.predict(X)) == list(labeler.predict(X)) and again.l2 == 0.5


def test_mistakes(some):
    X, y = some
    with pytest.raises(NotFittedError):
        SequenceLabeler().predict(X)
    with pytest.raises(ValueError, match="requires y"):
        SequenceLabeler().fit(X, None)
    with pytest.raises(ValueError, match="both"):
        SequenceLabeler().fit(X, y, X)


# scikit-learn's own checks. Those that feed matrices of samples × features, or labels that are not lists, are not about
# sequences; docs/python.md lists the ones below that hold.
@pytest.mark.parametrize("check", [
    "check_no_attributes_set_in_init", "check_get_params_invariance", "check_set_params",
    "check_parameters_default_constructible", "check_estimator_get_tags_default_keys", "check_estimators_unfitted",
])
def test_checks_of_scikit_learn_that_are_not_about_matrices(check):
    function = getattr(estimator_checks, check)
    subject = SequenceLabeler if check == "check_parameters_default_constructible" else SequenceLabeler()
    function("SequenceLabeler", subject if not isinstance(subject, type) else subject())


def test_fit_does_not_change_parameters_or_data(some):
    X, y = some
    X2, y2 = [list(s) for s in X], [list(s) for s in y]
    labeler = SequenceLabeler(passes=2)
    before = labeler.get_params()
    assert labeler.fit(X2, y2) is labeler
    assert labeler.get_params() == before and X2 == list(X) and y2 == list(y)
    first = labeler.predict(X)
    assert list(clone(labeler).fit(X, y).predict(X)) == list(first)
    assert isinstance(first, np.ndarray) and first.dtype == object
