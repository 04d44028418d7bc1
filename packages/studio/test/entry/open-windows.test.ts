import { expect } from 'chai'
import { announceWindow, findOtherWindows } from '../../src/entry/open-windows.ts'

describe('the names of open windows', () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  const rejected: unknown[] = []
  const onRejected = (reason: unknown): void => void rejected.push(reason)

  beforeEach(() => {
    const refuse = (): Promise<never> => Promise.reject(new DOMException('', 'SecurityError'))
    const value = { locks: { request: refuse, query: refuse } }
    Object.defineProperty(globalThis, 'navigator', { value, configurable: true })
    process.on('unhandledRejection', onRejected)
  })

  afterEach(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'navigator')
    else Object.defineProperty(globalThis, 'navigator', before)
    process.off('unhandledRejection', onRejected)
  })

  it('are none if the browser refuses its locks', async () => {
    announceWindow()
    expect(await findOtherWindows()).to.deep.equal(new Set())
    await new Promise((done) => setImmediate(done))
    expect(rejected).to.deep.equal([])
  })
})
