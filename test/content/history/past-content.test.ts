import { expect } from 'chai'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { pastContent } from '../../../src/content/history/past-content.ts'
import { itemOf } from '../../../src/mongo/write/note-versions.ts'
import { asRow, type StoredVersion } from '../../../src/mongo/versions/stored-version.ts'
import { planOf } from '../../fixtures/plans.ts'

const BCRYPT = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

/** Stored passwords whose attribute is no longer declared. */
describe('a former password attribute that is no longer declared', () => {
  const plan = planOf({
    attributes: { title: { type: 'string' } },
    history: true,
  })
  let stored: StoredVersion

  before(async () => {
    const hash = await openPasswords().hash('correct horse')
    stored = {
      documentId: 'a'.repeat(24),
      locale: '',
      status: 'published',
      _revision: '0123456789abcdef',
      title: 'One',
      subtitle: 'Two',
      secret: hash,
      brought: BCRYPT,
    } as unknown as StoredVersion
  })

  it('is not written to commits', () => {
    const { content } = itemOf(plan, asRow(stored), { isNew: false })
    expect(content).to.include({ title: 'One', subtitle: 'Two' })
    expect(content).to.have.keys('title', 'subtitle', 'documentId', 'locale', 'status')
  })

  it('is not returned by history', () => {
    const { content, unknown } = pastContent(plan, stored, () => true)
    expect(content).to.deep.equal({ title: 'One' })
    expect(unknown).to.not.have.any.keys('secret', 'brought')
    expect(unknown).to.include({ subtitle: 'Two' })
  })
})
