"""Trains a small network for a few steps, as a program whose kernels are recorded.

An image goes through a convolution, its patches through a transformer block in bfloat16, and
AdamW updates all parameters with kernels over lists of tensors. Needs PyTorch with CUDA.

usage: python3 pytorch_training.py [STEPS]
"""

import sys

import torch
from torch import nn
from torch.nn import functional

BATCH, PATCHES, WIDTH, HEADS, WORDS = 8, 256, 256, 4, 1000


class Block(nn.Module):
    """Attention and a perceptron, each behind a layer norm and with a residual connection."""

    def __init__(self):
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        parts = self.qkv(self.before_attention(x)).view(*x.shape[:2], 3, HEADS, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.dropout(self.out(found.transpose(1, 2).reshape(x.shape)))
        return x + self.dropout(self.mlp(self.before_mlp(x)))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
                                   nn.MaxPool2d(2), nn.Conv2d(32, WIDTH, 2, stride=2))
        self.position = nn.Embedding(PATCHES, WIDTH)
        self.block, self.head = Block(), nn.Linear(WIDTH, WORDS)

    def forward(self, image, order):
        patches = self.image(image).flatten(2).transpose(1, 2)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.head(self.block(patches + self.position(order)))


def main(steps):
    torch.manual_seed(1)
    torch.cuda.manual_seed(1)
    network = Network().cuda()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, foreach=True)
    image = torch.randn(BATCH, 3, 64, 64, device="cuda")
    order = torch.arange(PATCHES, device="cuda").expand(BATCH, PATCHES)
    wanted = torch.randint(WORDS, (BATCH * PATCHES,), device="cuda")
    for step in range(steps):
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(image, order).flatten(0, 1).float(), wanted)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
