import { expect } from 'chai'
import { compileSchema } from '../../../src/schema/compile.ts'
import { logUnfollowed } from '../../../src/server/services/log-unfollowed.ts'
import { asFollowed, define, typeFile } from '../../schema/define.ts'

describe('the warnings of a database without change streams', () => {
  const name = { name: { type: 'string' } } as const
  const definitions = define(
    typeFile('order', name, { adopt: { collection: 'orders', write: true } }),
    typeFile('client', name, { adopt: { collection: 'clients' } }),
    typeFile('note', name),
  )

  function warningsOf(isFollowed: boolean): readonly (readonly [types: unknown, text: string])[] {
    const warnings: (readonly [unknown, string])[] = []
    const warn = ({ types }: { types: unknown }, text: string): void => {
      warnings.push([types, text.replace(/:.*/, '')])
    }
    logUnfollowed(compileSchema(asFollowed(definitions, isFollowed)), { warn } as never)
    return warnings
  }

  it('names types that cannot be synced, and types that are only read despite `write`', () => {
    expect(warningsOf(false)).to.deep.equal([
      [['order', 'client'], 'These types cannot be synced'],
      [['order'], 'These types are only read despite "write"'],
    ])
    expect(warningsOf(true)).to.deep.equal([])
  })
})
