import sharp from 'sharp'

/** Creates an image of one color. */
export function png(width: number, height: number): Promise<Buffer> {
  const background = { r: 200, g: 30, b: 90 }
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
}

/** Creates noise, which compresses badly, so that half of the file lacks most of the image. */
export async function noisyPng(width: number, height: number): Promise<Buffer> {
  const raw = Buffer.alloc(width * height * 3)
  for (let index = 0; index < raw.length; index += 1) raw[index] = (index * 7919 * 31) % 251
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}
