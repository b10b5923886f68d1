"""The demo's network: digits recognised by two layers, trained by code that is written once for every device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crossdock as xd

__all__ = ['Digits', 'Parameters', 'accuracy', 'gradients', 'initial_parameters', 'read_digits', 'scores', 'train']

Array = Any  # an array of any library that crossdock knows
Parameters = dict[str, Array]

PIXELS, HIDDEN, CLASSES = 64, 64, 10
TEST_IMAGES = 360
EPOCHS, BATCH = 40, 128
RATE, MOMENTUM = 0.1, 0.9
SEED = 20


@dataclass(frozen=True)
class Digits:
    """Images as rows of 64 brightnesses in 0..1 (float32) and which digit each one shows (int64), on one device."""

    train_images: Array
    train_labels: Array
    test_images: Array
    test_labels: Array


def read_digits() -> Digits:
    """Read scikit-learn's 1,797 images of 8 x 8 pixels, shuffled by a fixed seed, as NumPy arrays.

    Raises
    ------
    ModuleNotFoundError
        If scikit-learn is not installed.
    """
    from sklearn.datasets import load_digits

    raw = load_digits()
    order = np.random.default_rng(SEED).permutation(len(raw.target))
    images = (raw.data[order] / 16).astype(np.float32)
    labels: NDArray[np.int64] = raw.target[order].astype(np.int64)
    return Digits(images[TEST_IMAGES:], labels[TEST_IMAGES:], images[:TEST_IMAGES], labels[:TEST_IMAGES])


def initial_parameters() -> Parameters:
    """Weights drawn from a fixed seed, as NumPy arrays, so that every device starts from the same numbers."""
    rng = np.random.default_rng(SEED)
    return {
        'W1': rng.normal(0, PIXELS**-0.5, (PIXELS, HIDDEN)).astype(np.float32),
        'b1': np.zeros(HIDDEN, np.float32),
        'W2': rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES)).astype(np.float32),
        'b2': np.zeros(CLASSES, np.float32),
    }


def scores(parameters: Parameters, images: Array) -> tuple[Array, Array]:
    """Run the network: the hidden layer's output, (n, 64), and a score for each class, (n, 10)."""
    xp = xd.get_array_module(images)
    hidden = xp.tanh(xp.matmul(images, parameters['W1']) + parameters['b1'])
    return hidden, xp.matmul(hidden, parameters['W2']) + parameters['b2']


def gradients(parameters: Parameters, images: Array, targets: Array) -> tuple[Array, Parameters]:
    """Softmax cross entropy of the network and its derivative by each parameter.

    Parameters
    ----------
    images : array, (n, 64)
    targets : array, (n, 10)
        One in the column of the right digit, zero elsewhere.

    Returns
    -------
    loss : array, ()
        Mean over the images. It stays on the device: reading it is the caller's decision.
    slopes : dict
        An array for each parameter, of its shape.
    """
    xp = xd.get_array_module(images)
    hidden, score = scores(parameters, images)
    # Softmax is the same for shifted scores, and exp of a number below zero cannot overflow.
    score = score - xp.max(score, axis=1, keepdims=True)
    total = xp.sum(xp.exp(score), axis=1, keepdims=True)
    log_probability = score - xp.log(total)
    n = images.shape[0]
    loss = -xp.sum(log_probability * targets) / n
    by_score = (xp.exp(log_probability) - targets) / n
    by_hidden = xp.matmul(by_score, parameters['W2'].T) * (1 - hidden * hidden)
    return loss, {
        'W1': xp.matmul(images.T, by_hidden),
        'b1': xp.sum(by_hidden, axis=0),
        'W2': xp.matmul(hidden.T, by_score),
        'b2': xp.sum(by_score, axis=0),
    }


def train(digits: Digits, parameters: Parameters, on_epoch: Callable[[int, float], None]) -> Parameters:
    """Fit the parameters by gradient descent with momentum, on the device that holds the images.

    Parameters
    ----------
    digits : Digits
        On the parameters' device.
    parameters : dict
        Left as it is.
    on_epoch : callable
        Called with the count of finished epochs and the last batch's loss, the one number that is read per epoch.
    """
    xp = xd.get_array_module(digits.train_images)
    # Sent, for CuPy's arange cannot be told where.
    classes = xd.get_device_from_array(digits.train_labels).send(np.arange(CLASSES))
    targets = xp.astype(xp.expand_dims(digits.train_labels, axis=1) == classes, digits.train_images.dtype)
    speed = {name: xp.zeros_like(value) for name, value in parameters.items()}
    for epoch in range(EPOCHS):
        for start in range(0, digits.train_images.shape[0], BATCH):
            batch = slice(start, start + BATCH)
            loss, slopes = gradients(parameters, digits.train_images[batch], targets[batch])
            speed = {name: MOMENTUM * speed[name] - RATE * slopes[name] for name in speed}
            parameters = {name: parameters[name] + speed[name] for name in parameters}
        on_epoch(epoch + 1, float(loss))
    return parameters


def accuracy(parameters: Parameters, images: Array, labels: Array) -> float:
    """Fraction of the images, in 0..1, whose highest score is that of the right digit."""
    xp = xd.get_array_module(images)
    _, score = scores(parameters, images)
    hits = xp.argmax(score, axis=1) == labels
    return float(xp.mean(xp.astype(hits, images.dtype)))
