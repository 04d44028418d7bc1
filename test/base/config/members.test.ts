import { expect } from 'chai'
import * as fc from 'fast-check'
import { readConfig } from '../../../src/base/config/config.ts'
import { memberOf, readMembers, type SettingsInCode } from '../../../src/base/config/members.ts'
import type { NamedVariable } from '../../../src/base/config/variable.ts'
import { VARIABLES } from '../../../src/base/config/variables.ts'
import { ConfigError } from '../../../src/base/errors.ts'

const ALL = Object.entries<NamedVariable>(VARIABLES)

/** Writes `value` at a path such as `http.port`. */
function atPath(path: string, value: unknown): Record<string, unknown> {
  const [head = '', ...rest] = path.split('.')
  return { [head]: rest.length === 0 ? value : atPath(rest.join('.'), value) }
}

/** The configuration or its faults without their labels. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => fault.replace(/^\S+: /, ''))
  }
}

function inFile(given: Readonly<Record<string, unknown>>): unknown {
  const { values, faults } = readMembers(given)
  if (faults.length > 0) return faults
  return outcome(() => readConfig({}, { values, label: (name) => `file:${name}` }))
}

describe('the members of quire.config.ts', () => {
  it('name each variable once', () => {
    const paths = ALL.map(([, { member }]) => member)
    expect(new Set(paths).size).to.equal(paths.length)
    for (const path of paths) expect(path).to.match(/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)?$/)
  })

  it('are no sections and members at the same time', () => {
    const paths = new Set(ALL.map(([, { member }]) => member))
    for (const path of paths)
      expect(paths.has(path.split('.')[0] ?? '')).to.equal(!path.includes('.'))
  })

  it('have the effect of their variables for every text', () => {
    const texts = fc.oneof(
      fc.constantFrom(
        'on',
        'off',
        '1',
        '0',
        '5',
        '70000',
        'embedded',
        'local',
        'https://a.example',
      ),
      fc.constantFrom('a,b', '640,320', 'http://a.example,http://b.example', 'a=editor', ' ', ''),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...ALL), texts, ([name, { member }], text) => {
        expect(inFile(atPath(member, text))).to.deep.equal(
          outcome(() => readConfig({ [name]: text })),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('accept numbers, switches and lists for variables of these types only', () => {
    const values = fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.boolean(),
      fc.array(fc.constantFrom('a', 'https://a.example', 640), { minLength: 1, maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...ALL), values, ([name, { member, accepts }], value) => {
        const kind = Array.isArray(value) ? 'list' : typeof value
        const { faults } = readMembers(atPath(member, value))
        expect(faults.length).to.equal(kind === accepts ? 0 : 1)
        if (kind !== accepts) return
        const text = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
        expect(inFile(atPath(member, value))).to.deep.equal(
          outcome(() => readConfig({ [name]: text })),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('are typed by the values of their variables', () => {
    const given: SettingsInCode = {
      http: { port: 8080, mcp: false, corsOrigin: ['https://a.example'] },
      upload: { storage: 'gridfs', imageSizes: [320, 640] },
      logLevel: 'warn',
      database: { uri: undefined },
    }
    expect(readMembers(given)).to.deep.equal({
      values: {
        PORT: '8080',
        MCP: 'off',
        CORS_ORIGIN: 'https://a.example',
        UPLOAD_STORAGE: 'gridfs',
        IMAGE_SIZES: '320,640',
        LOG_LEVEL: 'warn',
      },
      faults: [],
    })
  })

  const faults: readonly [Record<string, unknown>, readonly string[], string][] = [
    [{ http: { prot: 1 } }, ['http', 'prot'], 'did you mean port?'],
    [{ databse: {} }, ['databse'], 'did you mean database?'],
    [{ extension: [] }, ['extension'], 'did you mean extensions?'],
    [{ port: 80 }, ['port'], 'did you mean http.port?'],
    [{ http: 80 }, ['http'], 'must be an object'],
    [{ http: { port: { a: 1 } } }, ['http', 'port'], 'must be a number'],
    [{ http: { mcp: 1 } }, ['http', 'mcp'], 'must be true or false'],
    [{ s3: { bucket: true } }, ['s3', 'bucket'], 'must be a text'],
    [{ webhooks: { allowHosts: ['a,b'] } }, ['webhooks', 'allowHosts'], 'without commas'],
    [{ sigIn: {} }, ['sigIn'], 'did you mean signIn?'],
    [
      { signIn: { acme: { clientIDs: [] } } },
      ['signIn', 'acme', 'clientIDs'],
      'did you mean clientIds?',
    ],
    [{ signIn: { acme: 'app' } }, ['signIn', 'acme'], 'must be an object'],
    [{ signIn: { acme: { issuer: 1 } } }, ['signIn', 'acme', 'issuer'], 'must be a text'],
    [{ signIn: { Acme: { issuer: 'x' } } }, ['signIn', 'Acme', 'issuer'], 'lower-case letters'],
    [{ signIn: { acme: { toString: 'x' } } }, ['signIn', 'acme', 'toString'], 'is not a member'],
    [{ constructor: {} }, ['constructor'], 'is not a member'],
    [{ http: { toString: 'x' } }, ['http', 'toString'], 'is not a member'],
  ]
  for (const [given, path, message] of faults) {
    it(`refuse ${JSON.stringify(given)}`, () => {
      const found = readMembers(given, ['extensions']).faults
      expect(found).to.have.length(1)
      expect(found[0]?.path).to.deep.equal(path)
      expect(found[0]?.message).to.include(message)
    })
  }

  it('lose against the environment', () => {
    const file = { values: { PORT: '8080', LOG_LEVEL: 'warn' }, label: memberOf }
    const { http, logLevel } = readConfig({ PORT: '9090', LOG_LEVEL: ' ' }, file)
    expect([http.port, logLevel]).to.deep.equal([9090, 'warn'])
  })

  it('are named in faults of their values and in faults between variables', () => {
    const file = {
      values: { PORT: 'x', API_MAX_LIMIT: '10', API_DEFAULT_LIMIT: '20' },
      label: (name: string) => `quire.config.ts:3: ${memberOf(name)}`,
    }
    expect(outcome(() => readConfig({}, file))).to.deep.equal([
      'http.port: "x" is not a whole number from 0 to 65535',
      'api.defaultLimit: 20 is more than API_MAX_LIMIT, which is 10',
    ])
  })
})
