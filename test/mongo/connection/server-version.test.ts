import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { judgeServer } from '../../../src/mongo/connection/server-version.ts'

/** Judges a deployment of this version with sharded collections `a` and `c` and without `gone`. */
async function refusalOf(version: string, collections = ['a', 'b', 'c', 'gone']) {
  const command = ({ collStats }: { readonly collStats?: string }) => {
    if (collStats === undefined) return Promise.resolve({ version })
    return collStats === 'gone'
      ? Promise.reject(new MongoServerError({ message: 'gone', code: 26 }))
      : Promise.resolve({ sharded: collStats === 'a' || collStats === 'c' })
  }
  return (await judgeServer({ command }, collections)).refusal
}

describe('judgeServer', () => {
  for (const text of ['4.9.0', '4.9.1-alpha3', '5.0.0', '5.0.31', '5.1.0', '5.10.0', '5.3']) {
    it(`accepts ${text} only without sharded collections and names them`, async () => {
      expect(await refusalOf(text, ['b', 'gone'])).to.equal(null)
      expect(await refusalOf(text)).to.equal(
        `MongoDB ${text} is too old: sharded content (a, c) needs 6.0 at least`,
      )
    })
  }

  for (const text of ['6.0', '7.0.0', '8.2.6', '10.0.1']) {
    it(`accepts ${text} with sharded collections`, async () => {
      expect(await refusalOf(text)).to.equal(null)
    })
  }

  for (const text of ['3.6.23', '4.0.28', '4.4.29', '4.8.0', '4', '', 'unknown']) {
    it(`refuses ${text === '' ? 'an empty version' : text}`, async () => {
      expect(await refusalOf(text, ['b'])).to.equal(
        `MongoDB ${text} is too old: at least 5.0 is needed`,
      )
    })
  }
})
