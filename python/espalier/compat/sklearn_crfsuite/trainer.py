"""A trainer that prints one line per iteration."""

from __future__ import annotations

from typing import Any, Dict

from .. import pycrfsuite

__all__ = ["LinePerIterationTrainer"]


class LinePerIterationTrainer(pycrfsuite.Trainer):
    """One line per iteration, and a table of the labels at the end if data was held out.

    >>> crf = sklearn_crfsuite.CRF(trainer_cls=LinePerIterationTrainer, verbose=False).fit(X, y)
    >>> crf.predict(X[:1])
    [['A', 'B']]
    """

    def on_iteration(self, log: str, info: Dict[str, Any]) -> None:
        """Prints what is known about the iteration.

        >>> LinePerIterationTrainer().on_iteration("", {"num": 1, "time": 0.01, "loss": 12.5})
        Iter 1   time=0.01  loss=12.50
        """
        parts = [f"Iter {info['num']:<3} ", f"time={info['time']:<5.2f} ", f"loss={info['loss']:<8.2f} "]
        if "active_features" in info:
            parts.append(f"active={info['active_features']:<5} ")
        if "avg_precision" in info:
            parts.append(f"precision={info['avg_precision']:0.3f}  recall={info['avg_recall']:0.3f}  "
                         f"F1={info['avg_f1']:0.3f}  Acc(item/seq)={info['item_accuracy_float']:0.3f} "
                         f"{info['instance_accuracy_float']:0.3f}  ")
        if "feature_norm" in info:
            parts.append(f"feature_norm={info['feature_norm']:<8.2f}")
        print("".join(parts).strip())

    def on_optimization_end(self, log: str) -> None:
        """Prints the table.

        >>> LinePerIterationTrainer().on_optimization_end("Total seconds required for training: 0.010\\n")
        Total seconds required for training: 0.010
        """
        scores = ((self.logparser and self.logparser.last_iteration) or {}).get("scores")
        if scores:
            width = max(len("Label"), *map(len, scores))
            line = "-" * (width + 44)
            print("=" * len(line))
            print(f"{'Label':{width}}  {'Precision':>9}  {'Recall':>9}  {'F1':>9}  {'Support':>9}")
            print(line)
            for label, s in sorted(scores.items()):
                print(f"{label:{width}}  {s.precision or 0:9.3f}  {s.recall or 0:9.3f}  {s.f1 or 0:9.3f}  {s.ref:9d}")
            print(line)
        super().on_optimization_end(log)
