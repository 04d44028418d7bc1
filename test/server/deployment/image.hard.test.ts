import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { type BuiltImage, buildImage } from './image-context.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const BUILD_MS = 580_000
const STOP_MS = 10_000
const MAX_WAIT_MS = 60_000

describe('the image', function () {
  this.timeout(BUILD_MS)
  const folder = mkdtempSync(join(tmpdir(), 'quire-image-'))
  let image: BuiltImage
  let server: ChildProcess | null = null
  before(() => {
    image = buildImage(ROOT, folder)
  })
  after(() => {
    server?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('builds from the filtered context, serves the Studio and stops on SIGTERM', async () => {
    const [program = '', ...args] = image.command
    expect(program).to.equal('node')
    const child = spawn(process.execPath, args, {
      cwd: join(image.root, image.workdir),
      env: {
        ...image.env,
        HOST: '127.0.0.1',
        PORT: '0',
        QUIRE_DATA_DIR: join(folder, 'data'),
        QUIRE_DATABASE: 'embedded',
        JWT_SECRET: 'a secret of this test, thirty-two and more',
      },
    })
    server = child
    let output = ''
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    await until(
      () => output.includes('Quire listens on'),
      MAX_WAIT_MS,
      () => output,
    )
    const address = /Quire listens on (http:\/\/[\d.:]+)/.exec(output)?.[1] ?? ''
    const page = await fetch(`${address}/studio`)
    expect(page.status).to.equal(200)
    const script = /src="(\/studio\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const asset = await fetch(address + script)
    expect(asset.status).to.equal(200)
    expect((await asset.text()).length).to.be.above(10_000)
    expect((await fetch(`${address}/_health`)).status).to.equal(204)
    const exit = once(child, 'exit')
    const began = performance.now()
    child.kill('SIGTERM')
    expect(await exit).to.deep.equal([0, null])
    expect(performance.now() - began).to.be.below(STOP_MS)
    expect(output)
      .to.match(/SIGTERM: stopping/)
      .and.match(/Stopped after/)
    const isRefused = await fetch(address).then(
      () => false,
      () => true,
    )
    expect(isRefused, 'the port is free').to.equal(true)
  })
})
