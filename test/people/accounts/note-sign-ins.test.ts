import { expect } from 'chai'
import { openSignInNotes } from '../../../src/people/accounts/note-sign-ins.ts'
import { COMMITS, type PendingRow } from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('sign-ins of end users in the audit', () => {
  let test: TestDatabase
  before(async () => {
    test = await openTestDatabase('note_sign_ins')
  })
  after(() => test.drop())

  const noted = async (): Promise<readonly string[]> => {
    const rows = await test.database
      .collection<PendingRow>(COMMITS)
      .find()
      .sort({ _id: 1 })
      .toArray()
    return rows.flatMap(({ items }) =>
      items.map(({ type, documentId }) => `${type.split('.')[1]} ${documentId}`),
    )
  }

  it('records at most 60 entries a minute and a count of the rest', async () => {
    let nowMs = 0
    const notes = openSignInNotes(test.database, () => nowMs)
    await notes.signedIn('ada')
    for (let count = 0; count < 200; count += 1) await notes.failed(count === 0 ? 'ada' : null)
    const [first, second, ...rest] = await noted()
    expect([first, second]).to.deep.equal(['session ada', 'failed-sign-in ada'])
    expect(rest).to.deep.equal(Array.from({ length: 58 }, () => 'failed-sign-in unknown'))
    nowMs = 59_999
    await notes.signedIn('eve')
    expect(await noted()).to.have.length(60)
    nowMs = 60_000
    await notes.signedIn('eve')
    expect((await noted()).slice(60)).to.deep.equal(['left-out-sign-ins 142', 'session eve'])
    nowMs = 120_000
    await notes.signedIn('eve')
    expect(await noted(), 'nothing was left out').to.have.length(63)
  })
})
