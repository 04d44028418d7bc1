import { expect } from 'chai'
import { startSaver } from '../../src/entry/start-saver.ts'

describe('the saver of an open form', () => {
  it('stores its changes again if another window takes them', () => {
    const page = new EventTarget()
    const calls: string[] = []
    const saver = {
      start: () => () => void calls.push('stop'),
      keep: () => void calls.push('keep'),
    }
    const stored = (newValue: string | null): void =>
      void page.dispatchEvent(Object.assign(new Event('storage'), { newValue }))
    const stop = startSaver(saver, page)
    stored('{}')
    expect(calls).to.deep.equal([])
    stored(null)
    expect(calls).to.deep.equal(['keep'])
    stop()
    stored(null)
    expect(calls).to.deep.equal(['keep', 'stop'])
  })
})
