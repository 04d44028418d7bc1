import { expect } from 'chai'
import { locationAt, parseCoordinates } from '../../src/fields/location/parse-coordinates.ts'

describe('typed coordinates', () => {
  const cases = [
    ['', ' ', 'en', { kind: 'value', value: null }],
    ['52.52', '-13.4', 'en', { kind: 'value', value: { latitude: 52.52, longitude: -13.4 } }],
    ['52,52', '13,4', 'de', { kind: 'value', value: { latitude: 52.52, longitude: 13.4 } }],
    ['-90', '180', 'en', { kind: 'value', value: { latitude: -90, longitude: 180 } }],
    ['52', '', 'en', { kind: 'unreadable', why: 'half' }],
    ['', '13', 'en', { kind: 'unreadable', why: 'half' }],
    ['52°', '13', 'en', { kind: 'unreadable', why: 'number' }],
    ['90.1', '13', 'en', { kind: 'unreadable', why: 'latitude' }],
    ['-9', '-180.5', 'en', { kind: 'unreadable', why: 'longitude' }],
  ] as const
  for (const [latitude, longitude, language, expected] of cases) {
    it(`parses "${latitude}" and "${longitude}" in ${language} as ${JSON.stringify(expected)}`, () => {
      expect(parseCoordinates({ latitude, longitude }, language)).to.deep.equal(expected)
    })
  }
})

describe('a click on the map', () => {
  it('selects the location under the pointer, within the map', () => {
    expect(locationAt(0.5, 0.5)).to.deep.equal({ latitude: 0, longitude: 0 })
    expect(locationAt(0, 0)).to.deep.equal({ latitude: 90, longitude: -180 })
    expect(locationAt(1.01, 1.01)).to.deep.equal({ latitude: -90, longitude: 180 })
    expect(locationAt(0.537_25, 0.208_2)).to.deep.equal({ latitude: 52.52, longitude: 13.41 })
  })
})
