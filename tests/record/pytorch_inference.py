"""Runs the operations of an inference step a few times, as a program whose kernels are recorded.

scatter_add adds with atomics in no fixed order, so its float sums differ from run to run. Needs
PyTorch with CUDA.

usage: python3 pytorch_inference.py [REPEATS]
"""

import sys

import torch
from torch.nn import functional

WORDS, WIDTH, TOKENS, HEADS = 32000, 512, 1024, 8


@torch.inference_mode()
def step(weights, image, tokens):
    """One forward pass in bfloat16, and the choice of the next token."""
    x = functional.embedding(tokens, weights["words"])
    heads = x.view(1, TOKENS, HEADS, -1).transpose(1, 2)
    x = functional.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).reshape(TOKENS, WIDTH)
    x = functional.rms_norm(x, (WIDTH,)) @ weights["square"]
    x = functional.silu(x) * functional.layer_norm(x, (WIDTH,))
    logits = (x[-16:] @ weights["words"].T).float()
    best, where = torch.topk(logits, 40)
    odds = torch.softmax(best, dim=-1)
    nucleus = torch.cumsum(odds, dim=-1)
    seen = torch.sort(logits, dim=-1, descending=True).values
    rows = torch.index_select(weights["words"], 0, where[:, 0])
    counts = torch.zeros(100, device="cuda").scatter_add(
        0, tokens % 100, torch.linspace(0, 1, TOKENS, device="cuda"))
    picture = functional.conv2d(image, weights["filter"], padding=1)
    picture = functional.interpolate(picture.relu(), scale_factor=2, mode="bilinear")
    wide = weights["single"] @ weights["single"]
    half = weights["half"] @ weights["half"]
    double = weights["double"] @ weights["double"]
    return sum(part.double().sum() for part in (nucleus, seen, rows, counts, picture, wide, half, double))


def main(repeats):
    torch.manual_seed(1)
    torch.cuda.manual_seed(1)

    def random(*shape, dtype=torch.bfloat16):
        return torch.randn(*shape, device="cuda").to(dtype)

    weights = {"words": random(WORDS, WIDTH), "square": random(WIDTH, WIDTH),
               "filter": random(64, 32, 3, 3), "single": random(768, 768, dtype=torch.float32),
               "half": random(1024, 1024, dtype=torch.float16),
               "double": random(512, 512, dtype=torch.float64)}
    image = random(4, 32, 64, 64)
    tokens = torch.randint(WORDS, (TOKENS,), device="cuda")
    for repeat in range(repeats):
        print(f"repeat {repeat}: {step(weights, image, tokens).item():.6e}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
