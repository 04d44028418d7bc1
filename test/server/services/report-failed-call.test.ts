import { expect } from 'chai'
import { reportFailedCall } from '../../../src/server/services/report-failed-call.ts'

describe('reportFailedCall', () => {
  it('logs the cause, whatever an extension throws', () => {
    const logged: Error[] = []
    const log = { error: ({ err }: { readonly err: Error }) => logged.push(err) }
    const report = reportFailedCall(log as never)
    const cause = new Error('broken')
    for (const error of [cause, 'a text', { code: 7 }, undefined, 'x'.repeat(5_000)]) {
      report({ extension: 'mirror', call: 'start', requestId: null, error })
    }
    expect(logged[0]).to.equal(cause)
    const messages = logged.slice(1).map(({ message }) => message)
    expect(messages[0]).to.include('a text')
    expect(messages[1]).to.include('code: 7')
    expect(messages[2]).to.include('undefined')
    expect(messages[3]).to.have.length(1_000)
  })
})
