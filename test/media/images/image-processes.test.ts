import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import sharp from 'sharp'
import { Aborted, openImageProcesses, TooSlow } from '../../../src/media/images/image-processes.ts'
import type { ImageTask } from '../../../src/media/images/image-process.ts'
import { useTempFolder } from '../temp-folder.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

describe('openImageProcesses', () => {
  const folder = useTempFolder()

  /** Renders noise, which takes encoders the longest. */
  async function renderTo(name: string, side: number): Promise<ImageTask> {
    const [source, target] = [path.join(folder(), 'source.png'), path.join(folder(), name)]
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const image = sharp({
      create: { width: side, height: side, channels: 3, background: '#888', noise },
    })
    await writeFile(source, await image.png({ compressionLevel: 0 }).toBuffer())
    const variant = {
      width: null,
      height: null,
      fit: 'inside',
      format: 'avif',
      quality: 90,
    } as const
    return { kind: 'render', source, target, variant, focalPoint: null }
  }

  it('renders several images with one process', async () => {
    const { run } = openImageProcesses(60_000)
    const task = await renderTo('a.avif', 64)
    await Promise.all([
      run(task),
      run({ ...task, target: path.join(folder(), 'b.avif') } as ImageTask),
    ])
    for (const name of ['a.avif', 'b.avif']) {
      expect((await sharp(path.join(folder(), name)).metadata()).width).to.equal(64)
    }
    const file = { path: path.join(folder(), 'source.png'), mime: 'image/png', size: 1 }
    expect(await run({ kind: 'read', file, folder: folder() })).to.include({
      width: 64,
      height: 64,
    })
  })

  // sharp's own timeout does not interrupt an encoder: it was exceeded by a factor of two.
  it('stops an image that takes too long or is aborted', async () => {
    const task = await renderTo('slow.avif', 2_000)
    const elapsedMs = startOwnClock()
    expect(await failureOf(openImageProcesses(300).run(task))).to.be.instanceOf(TooSlow)
    const { run } = openImageProcesses(60_000)
    expect(await failureOf(run(task, AbortSignal.timeout(300)))).to.be.instanceOf(Aborted)
    expect(await failureOf(run(task, AbortSignal.abort()))).to.be.instanceOf(Aborted)
    expect(elapsedMs()).to.be.below(5_000)
  })

  it('distinguishes a broken image from a system error', async () => {
    const { run } = openImageProcesses(60_000)
    const task = await renderTo('c.avif', 64)
    await writeFile(path.join(folder(), 'source.png'), 'no picture')
    const unreadable = await failureOf(run(task))
    expect(unreadable).to.be.instanceOf(Error).and.not.have.property('code')
    const nowhere = { ...(await renderTo('d.avif', 64)), target: '/nowhere/d.avif' } as ImageTask
    expect(await failureOf(run(nowhere))).to.include({ code: 'ENOENT' })
  })
})
