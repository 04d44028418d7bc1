import { randomInt } from 'node:crypto'
import sharp from 'sharp'

/** A unique JPEG of about one megapixel. */
export function makePicture(): Promise<Buffer> {
  const part = (): number => randomInt(256)
  return sharp({
    create: {
      width: 1200,
      height: 800,
      channels: 3,
      background: { r: part(), g: part(), b: part() },
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .jpeg()
    .toBuffer()
}
