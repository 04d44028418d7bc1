import { expect } from 'chai'
import { assert as assertProperty, json, property, stringMatching } from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { newSecret, signedHeaders } from '../../../src/changes/webhooks/sign.ts'

const seconds = (): number => Math.floor(Date.now() / 1_000)

describe('signatures of webhooks', () => {
  it('are accepted by the package standardwebhooks for any message', () => {
    assertProperty(
      property(json(), stringMatching(/^[a-z0-9:-]{1,80}$/), (body, id) => {
        const secret = newSecret()
        const headers = signedHeaders({ id, seconds: seconds(), body }, [secret])
        expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body))
      }),
      { numRuns: 100 },
    )
  })

  it('are valid for both secrets during a rotation', () => {
    const [newer, older, other] = [newSecret(), newSecret(), newSecret()]
    const body = '{"event":"entry.update"}'
    const headers = signedHeaders({ id: 'a', seconds: seconds(), body }, [newer, older])
    for (const secret of [newer, older]) new Webhook(secret).verify(body, headers)
    expect(() => new Webhook(other).verify(body, headers)).to.throw(/signature/i)
  })

  it('are refused for another id, another body and after ten minutes', () => {
    const secret = newSecret()
    const receiver = new Webhook(secret)
    const body = '{"a":1}'
    const headers = signedHeaders({ id: 'a', seconds: seconds(), body }, [secret])
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'b' })).to.throw(/signature/i)
    expect(() => receiver.verify('{"a":2}', headers)).to.throw(/signature/i)
    const old = signedHeaders({ id: 'a', seconds: seconds() - 600, body }, [secret])
    expect(() => receiver.verify(body, old)).to.throw(/too old/i)
  })

  it('use unique secrets of 32 bytes', () => {
    const secrets = Array.from({ length: 10 }, newSecret)
    expect(new Set(secrets).size).to.equal(10)
    for (const secret of secrets) {
      expect(secret).to.match(/^whsec_/)
      expect(Buffer.from(secret.slice(6), 'base64').length).to.equal(32)
    }
  })
})
