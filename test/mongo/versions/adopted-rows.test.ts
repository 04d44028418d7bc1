import { expect } from 'chai'
import { type AdoptedType, isAdopted } from '../../../src/mongo/versions/adopted-expression.ts'
import { versionRow } from '../../../src/mongo/versions/adopted-rows.ts'
import { REVISION } from '../../../src/mongo/versions/version-fields.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { typeFile } from '../../schema/define.ts'

function writableType(): AdoptedType {
  const attributes = { name: { type: 'string' }, pin: { type: 'integer', private: true } }
  const adopt = { collection: 'things', write: true }
  const definitions = checkDefinitions([typeFile('thing', attributes, { adopt })])
  const plan = compileSchema(definitions).contentTypes.get('api::thing.thing')
  if (plan === undefined || !isAdopted(plan)) throw new Error('not adopted')
  return plan
}

describe('the revision of adopted entries', () => {
  const plan = writableType()
  const documentId = '65b000000000000000000001'
  const times = { createdAt: null, updatedAt: null, publishedAt: null }
  const row = { id: 1, documentId, locale: '', status: 'published', ...times, name: 'a', pin: 1234 }
  const revisionOf = (key: string, more: object = {}): unknown =>
    versionRow({ plan, key: Buffer.from(key) }, { ...row, ...more })[REVISION]

  it('depends on all declared values and on the key', () => {
    expect(revisionOf('one')).to.match(/^[0-9a-f]{16}$/)
    expect(revisionOf('one')).to.equal(revisionOf('one'))
    expect(revisionOf('one', { pin: 1235 })).to.not.equal(revisionOf('one'))
    expect(revisionOf('two')).to.not.equal(revisionOf('one'))
  })
})
