import { expect } from 'chai'
import { loggingMailer } from '../../../src/people/accounts/mailer.ts'

describe('loggingMailer', () => {
  it('logs the text of a mail at debug level only', async () => {
    const lines: [string, unknown][] = []
    const noting = (level: string) => (fields: object, message: string) => {
      lines.push([level, { ...fields, message }])
    }
    const mailer = loggingMailer({ info: noting('info'), debug: noting('debug') })
    await mailer.send({ to: 'a@example.org', subject: 'Reset password', text: 'The code is 1' })
    const told = lines.filter(([level]) => level === 'info')
    expect(told).to.have.length(1)
    expect(JSON.stringify(told)).to.include('a@example.org')
    expect(JSON.stringify(told)).not.to.include('code')
    expect(JSON.stringify(lines)).to.include('The code is 1')
  })
})
