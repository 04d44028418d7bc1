import { expect } from 'chai'
import { examineAdministrators } from '../../../src/cli/doctor/examine-administrators.ts'
import { administratorRolesOf } from '../../../src/people/administrators/rows.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('quire doctor on administrators', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('doctor_administrators')
    await administratorRolesOf(test.database).insertOne({
      _id: 'translator',
      name: 'Translator',
      description: '',
      permissions: [],
      createdAt: new Date(0),
      updatedAt: new Date(0),
    })
  })

  after(() => test.drop())

  it('names the roles of ADMIN_SECOND_FACTOR that do not exist', async () => {
    const findings = await examineAdministrators(test.database, ['editor', 'translator', 'editr'])
    expect(findings).to.deep.equal([
      {
        check: 'administrators',
        level: 'warning',
        what: 'ADMIN_SECOND_FACTOR names the role editr, which does not exist',
      },
    ])
  })

  it('says nothing if all or none need a second factor', async () => {
    for (const policy of ['off', 'required'] as const) {
      expect(await examineAdministrators(test.database, policy), policy).to.deep.equal([])
    }
  })
})
