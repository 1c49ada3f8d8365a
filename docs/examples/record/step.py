"""Trains a small speech model. One kernel of its step is slower than it need be.

usage: step.py [STEPS [REPLACEMENT.cu]]

Frames come as (batch, time, channel), and the convolution wants (batch, channel, time). So each
step copies the frames into the other order. With a second argument, the kernel swap_axes of that
file makes the copy in place of PyTorch's.
"""

import sys
import time

import torch

BATCH, TIME, CHANNELS = 32, 4096, 512
WARM_UP = 20  # steps that are not timed


def swapped(frames):
    return frames.transpose(1, 2).contiguous()


def swapped_by(path):
    with open(path) as source:
        kernel = torch.cuda._compile_kernel(source.read(), "swap_axes")

    def swap(frames):
        out = torch.empty(BATCH, CHANNELS, TIME, device=frames.device)
        kernel((CHANNELS // 32, TIME // 32, BATCH), (32, 8, 1), (frames, out, TIME, CHANNELS))
        return out

    return swap


def main(steps=60, replacement=None):
    torch.manual_seed(0)
    swap = swapped_by(replacement) if replacement else swapped
    model = torch.nn.Sequential(
        torch.nn.Conv1d(CHANNELS, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv1d(64, 8, 1)
    ).cuda()
    optimiser = torch.optim.AdamW(model.parameters(), fused=True)
    batches = [torch.randn(BATCH, TIME, CHANNELS, device="cuda") for _ in range(2)]
    labels = torch.randint(0, 8, (BATCH, TIME), device="cuda")
    for step in range(int(steps)):
        if step == WARM_UP:
            torch.cuda.synchronize()
            began = time.perf_counter()
        loss = torch.nn.functional.cross_entropy(model(swap(batches[step % 2])), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    torch.cuda.synchronize()
    per_step = (time.perf_counter() - began) / (int(steps) - WARM_UP)
    print(f"{per_step * 1e3:.3f} ms a step, loss {loss.item():.6f}")


main(*sys.argv[1:])
