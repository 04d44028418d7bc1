import { expect } from 'chai'
import { retyped } from '../../src/screens/declare/retyped.ts'

describe('the options of an attribute with another type', () => {
  it('keep the older names', () => {
    expect(retyped({ type: 'string', from: 'heading' }, 'text')).to.deep.equal({
      type: 'text',
      from: 'heading',
    })
    const several = { type: 'string', maxLength: 9, from: ['heading', 'headline'] }
    expect(retyped(several, 'text')).to.deep.equal({ type: 'text', from: several.from })
  })

  it('keep the names for older clients, and the refusal of their writes', () => {
    const kept = { alias: ['headline'], writable: false }
    expect(retyped({ type: 'string', maxLength: 9, ...kept }, 'text')).to.deep.equal({
      type: 'text',
      ...kept,
    })
  })

  it('lose the older names of values, unless the new type is an enumeration', () => {
    const from = ['level', { low: 'small' }]
    const enumeration = { type: 'enumeration', enum: ['small'], from }
    expect(retyped(enumeration, 'string')).to.deep.equal({ type: 'string', from: 'level' })
    expect(retyped(enumeration, 'enumeration')).to.deep.equal({ type: 'enumeration', from })
    const values = { type: 'enumeration', enum: ['small'], from: { low: 'small' } }
    expect(retyped(values, 'string')).to.deep.equal({ type: 'string' })
  })

  it('keep the words for editors, without those of values', () => {
    const studio = { label: 'Size', visibleWhen: { kind: 'shirt' }, values: { s: 'Small' } }
    const { values: _values, ...kept } = studio
    const options = { type: 'enumeration', enum: ['s'], studio }
    expect(retyped(options, 'string')).to.deep.equal({ type: 'string', studio: kept })
  })
})
