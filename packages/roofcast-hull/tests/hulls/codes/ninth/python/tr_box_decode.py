# Decoding of box regressions (dx, dy, dw, dh) against anchors, as two-stage detectors do,
# with clipping to the image. Counts: self-counting scalar translation of one box.
import math

import torch
import triton
import triton.language as tl

BBOX_XFORM_CLIP = math.log(1000.0 / 16)


@triton.jit
def _clamp(v, lo, hi):
    return tl.minimum(tl.maximum(v, lo), hi)


@triton.jit
def decode_boxes_kernel(
    deltas_ptr,      # [B, A, 4]
    anchors_ptr,     # [A, 4]
    boxes_ptr,       # [B, A, 4]
    num_anchors,
    img_w, img_h,
    inv_wx, inv_wy, inv_ww, inv_wh,
    clip,
    BLOCK: tl.constexpr,
):
    a = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.program_id(1)
    mask = a < num_anchors

    x1 = tl.load(anchors_ptr + a * 4 + 0, mask=mask)
    y1 = tl.load(anchors_ptr + a * 4 + 1, mask=mask)
    x2 = tl.load(anchors_ptr + a * 4 + 2, mask=mask)
    y2 = tl.load(anchors_ptr + a * 4 + 3, mask=mask)
    width = x2 - x1
    height = y2 - y1
    ctr_x = x1 + 0.5 * width
    ctr_y = y1 + 0.5 * height

    base = (b * num_anchors + a) * 4
    dx = tl.load(deltas_ptr + base + 0, mask=mask) * inv_wx
    dy = tl.load(deltas_ptr + base + 1, mask=mask) * inv_wy
    dw = tl.load(deltas_ptr + base + 2, mask=mask) * inv_ww
    dh = tl.load(deltas_ptr + base + 3, mask=mask) * inv_wh
    dw = tl.minimum(dw, clip)
    dh = tl.minimum(dh, clip)

    pred_x = dx * width + ctr_x
    pred_y = dy * height + ctr_y
    half_w = 0.5 * (tl.exp(dw) * width)
    half_h = 0.5 * (tl.exp(dh) * height)

    tl.store(boxes_ptr + base + 0, _clamp(pred_x - half_w, 0.0, img_w), mask=mask)
    tl.store(boxes_ptr + base + 1, _clamp(pred_y - half_h, 0.0, img_h), mask=mask)
    tl.store(boxes_ptr + base + 2, _clamp(pred_x + half_w, 0.0, img_w), mask=mask)
    tl.store(boxes_ptr + base + 3, _clamp(pred_y + half_h, 0.0, img_h), mask=mask)


def decode_boxes(deltas, anchors, image_size, weights=(10.0, 10.0, 5.0, 5.0)):
    B, A, _ = deltas.shape
    boxes = torch.empty_like(deltas)
    wx, wy, ww, wh = weights
    img_h, img_w = image_size
    grid = (triton.cdiv(A, 256), B)
    decode_boxes_kernel[grid](
        deltas, anchors, boxes, A,
        float(img_w), float(img_h),
        1.0 / wx, 1.0 / wy, 1.0 / ww, 1.0 / wh,
        BBOX_XFORM_CLIP,
        BLOCK=256,
    )
    return boxes


if __name__ == "__main__":
    B, A = 16, 120000
    xy = torch.rand(A, 2, device="cuda") * 800
    wh = torch.rand(A, 2, device="cuda") * 200 + 8
    anchors = torch.cat([xy, xy + wh], dim=1)
    deltas = torch.randn(B, A, 4, device="cuda")
    out = decode_boxes(deltas, anchors, (800, 1216))
    print(out.shape, out.min().item(), out.max().item())
