import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import sharp from 'sharp'
import { type Image, readImage } from '../../../src/media/images/read-image.ts'
import { noisyPng, png } from '../sample-images.ts'
import { useTempFolder } from '../temp-folder.ts'

const sizes = (image: Image | null): object =>
  Object.fromEntries(
    (image?.formats ?? []).map(({ name, width, height }) => [name, [width, height]]),
  )

describe('readImage', () => {
  const folder = useTempFolder()

  function read(content: Buffer | string, mime = 'image/png'): Promise<Image | null> {
    const target = mkdtempSync(join(folder(), 'image-'))
    const path = join(target, 'source')
    writeFileSync(path, content)
    return readImage({ path, mime, size: content.length }, target)
  }

  it('creates every format of a large image in the order of the reference', async () => {
    const image = await read(await png(1600, 1200))
    expect([image?.width, image?.height]).to.deep.equal([1600, 1200])
    expect(Object.keys(sizes(image))).to.deep.equal(['large', 'small', 'medium', 'thumbnail'])
    expect(sizes(image)).to.deep.equal({
      large: [1000, 750],
      small: [500, 375],
      medium: [750, 563],
      thumbnail: [208, 156],
    })
    for (const { path, sizeInBytes } of image?.formats ?? []) {
      expect(statSync(path).size).to.equal(sizeInBytes)
    }
  })

  it('sizes formats by the longest side', async () => {
    expect(sizes(await read(await png(300, 1100)))).to.deep.equal({
      large: [273, 1000],
      small: [136, 500],
      medium: [205, 750],
      thumbnail: [43, 156],
    })
  })

  it('creates only a thumbnail for a small image and no format for a tiny one', async () => {
    expect(sizes(await read(await png(300, 200)))).to.deep.equal({ thumbnail: [234, 156] })
    expect(sizes(await read(await png(245, 156)))).to.deep.equal({})
  })

  it('returns the dimensions after rotation by EXIF data', async () => {
    const turned = await sharp(await png(40, 300))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const image = await read(turned, 'image/jpeg')
    expect([image?.width, image?.height]).to.deep.equal([300, 40])
    expect(sizes(image)).to.deep.equal({ thumbnail: [245, 33] })
  })

  it('returns the dimensions of an SVG', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"></svg>'
    expect(await read(svg, 'image/svg+xml')).to.deep.equal({
      width: 640,
      height: 480,
      thumbhash: null,
      formats: [],
    })
  })

  it('returns null for broken, truncated and unsupported files', async () => {
    expect(await read('no picture')).to.equal(null)
    const large = await noisyPng(400, 300)
    expect(await read(large.subarray(0, large.length / 2))).to.equal(null)
    const tiny = await noisyPng(60, 60)
    expect(await read(tiny.subarray(0, tiny.length / 2))).to.equal(null)
    expect(await read('text', 'text/plain')).to.equal(null)
  })

  it('does not decode a decompression bomb', async () => {
    const header = Buffer.from(await png(1, 1))
    header.writeUInt32BE(60_000, 16)
    header.writeUInt32BE(60_000, 20)
    expect(await read(header)).to.equal(null)
  })
})
