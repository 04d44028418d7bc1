import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../support/until.ts'

const CHILD = fileURLToPath(new URL('../support/run-in-child.js', import.meta.url))
const MAX_WAIT_MS = 30_000

describe('runServer', () => {
  let children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children = []
  })

  interface Running {
    readonly child: ChildProcess
    readonly output: () => string
    readonly exit: Promise<readonly unknown[]>
  }

  function start(env: Record<string, string> = {}): Running {
    const child = spawn(process.execPath, [CHILD], {
      env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', ...env },
      stdio: 'pipe',
    })
    children.push(child)
    let output = ''
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    return { child, output: () => output, exit: once(child, 'close') }
  }

  async function listening(running: Running): Promise<string> {
    await until(() => running.output().includes('Quire listens'), MAX_WAIT_MS, running.output)
    return /http:\/\/[\d.]+:\d+/.exec(running.output())?.[0] ?? ''
  }

  it('prints its address and its database', async () => {
    const running = start()
    await listening(running)
    expect(running.output()).to.match(
      /Quire listens on http:\/\/127\.0\.0\.1:\d+; database: a stand-in for quire/,
    )
  })

  it('reports address and database to its caller', async () => {
    const running = start()
    const address = await listening(running)
    await until(
      () => running.output().includes(`told of ${address} and embedded`),
      MAX_WAIT_MS,
      running.output,
    )
  })

  it('uses its actual port in links', async () => {
    const running = start()
    const address = await listening(running)
    const link = `No administrator yet: ${address}/first creates the first`
    await until(() => running.output().includes(link), MAX_WAIT_MS, running.output)
  })

  it('responds to requests', async () => {
    const address = await listening(start())
    expect(await (await fetch(address)).text()).to.equal('ok')
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`finishes open requests on ${signal}, closes and exits with 0`, async () => {
      const running = start()
      const address = await listening(running)
      const slow = fetch(`${address}/slow`)
      await until(() => running.output().includes('slow began'), MAX_WAIT_MS, running.output)
      running.child.kill(signal)
      await until(() => isRefused(address), MAX_WAIT_MS, running.output)
      expect(running.output()).not.to.include('closed')
      running.child.stdin?.write('finish\n')
      const response = await slow
      expect(response.headers.get('connection')).to.equal('keep-alive')
      expect(await response.text()).to.equal('slow done')
      expect(await running.exit).to.deep.equal([0, null])
      expect(running.output()).to.match(/app closed\ndatabase closed/)
      const parts = '1 open requests, background work, the database'
      expect(running.output())
        .to.include(`${signal}: stopping; waits for ${parts}`)
        .and.match(/Stopped after \d+\.\d s/)
    })
  }

  it('exits immediately on a second signal', async () => {
    const running = start()
    const address = await listening(running)
    const slow = fetch(`${address}/slow`).catch(() => 'dropped')
    await until(() => running.output().includes('slow began'), MAX_WAIT_MS, running.output)
    running.child.kill('SIGTERM')
    await until(() => isRefused(address), MAX_WAIT_MS, running.output)
    running.child.kill('SIGTERM')
    expect(await running.exit).to.deep.equal([143, null])
    expect(await slow).to.equal('dropped')
  })

  it('lists every fault of the environment and exits with 1', async () => {
    const running = start({ PORT: 'many', LOG_LEVEL: 'loud' })
    expect(await running.exit).to.deep.equal([1, null])
    expect(running.output()).to.equal(
      'quire: The configuration cannot be used:\n' +
        '  - PORT: "many" is not a whole number from 0 to 65535\n' +
        '  - LOG_LEVEL: "loud" is not one of fatal, error, warn, info, debug, trace, silent\n',
    )
  })

  it('reports an address in use in one message, closes its resources and exits with 1', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo
    const running = start({ PORT: String(port) })
    expect(await running.exit).to.deep.equal([1, null])
    squatter.close()
    const fault = `PORT: ${port} on 127.0.0.1 is in use, another server runs there`
    expect(running.output()).to.include(fault)
    expect(running.output()).to.match(/app closed\ndatabase closed/)
    expect(running.output()).not.to.match(/^ +at /m)
  })

  it('prints the stack of a bug and closes the database', async () => {
    const running = start({ APP_FAULT: 'bug' })
    expect(await running.exit).to.deep.equal([1, null])
    expect(running.output())
      .to.match(/Error: a bug\n +at /)
      .and.include('database closed')
  })

  it('names an unreachable database without a stack', async () => {
    const running = start({ APP_FAULT: 'database' })
    expect(await running.exit).to.deep.equal([1, null])
    const why = 'The database cannot be reached: a stand-in for quire'
    expect(running.output()).to.equal(`quire: ${why}\ndatabase closed\n`)
  })

  it('suggests the correct name of a misspelled variable', async () => {
    const running = start({ MONGO_URI: 'x' })
    await listening(running)
    expect(running.output()).to.include('did you mean MONGODB_URI?')
  })
})

async function isRefused(address: string): Promise<boolean> {
  return fetch(address).then(
    () => false,
    () => true,
  )
}
