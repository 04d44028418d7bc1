import { expect } from 'chai'
import { readConfig } from '../../../src/base/config/config.ts'
import { findNearMisses } from '../../../src/base/config/near-misses.ts'
import { ConfigError } from '../../../src/base/errors.ts'

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('readConfig', () => {
  it('has a default for every optional setting', () => {
    expect(readConfig({})).to.deep.equal({
      production: false,
      logLevel: 'info',
      dataDir: '.quire',
      contentTypesDir: 'content-types',
      endUsers: {
        emailConfirmation: false,
        signInProviders: new Map(),
        linkByEmail: false,
        anonymous: null,
        registerFields: [],
        sessions: null,
      },
      observe: { commands: 'requests', slowRequestMs: 500 },
      webhooks: { allowHosts: [] },
      administrators: { secondFactor: 'off' },
      oidc: null,
      http: {
        host: '0.0.0.0',
        port: 1337,
        publicUrl: 'http://localhost:1337',
        cookieName: '1337',
        corsOrigin: '*',
        trustedProxies: 0,
        rateLimit: true,
        mcp: true,
        maxBodyBytes: 1_048_576,
        maxReadingBytes: 268_435_456,
        maxInFlight: null,
        maxUnsentBytes: 268_435_456,
        maxLive: 2_000,
        maxLivePerAddress: 1_000,
        maxWaitingPerAddress: 1_000,
        connections: {
          headersTimeoutMs: 20_000,
          requestTimeoutMs: 300_000,
          keepAliveTimeoutMs: 65_000,
          silenceTimeoutMs: 120_000,
          maxHeaderBytes: 131_072,
          maxConnections: 10_000,
        },
      },
      database: {
        kind: null,
        uri: null,
        name: 'quire',
        allowStandalone: false,
        queryTimeoutMs: 2000,
        countLimit: 100_000,
        logRetentionDays: 90,
        historyDays: 365,
        pushClientDays: 400,
        trashDays: 30,
        countTimeoutMs: 1500,
        maxPoolSize: 50,
        waitQueueTimeoutMs: 2000,
      },
      api: {
        defaultLimit: 25,
        maxLimit: 100,
        answer: { maxEntries: 10_000, maxBytes: 33_554_432 },
        strictQuery: false,
      },
      cache: { bytes: 33_554_432, staleMs: 1_000, maxAgeSeconds: 0, tags: null, purge: null },
      secrets: { rootApiToken: null, jwtSecret: null, metricsToken: null },
      upload: {
        storage: 'local',
        maxUploadBytes: 209_715_200,
        images: {
          sizes: [
            16, 32, 48, 64, 96, 128, 256, 384, 512, 640, 750, 828, 1080, 1200, 1920, 2048, 3840,
          ],
          signingKey: null,
        },
        s3: null,
      },
      mail: {
        smtpUrl: null,
        from: 'Quire <no-reply@localhost>',
        resetPasswordUrl: null,
        confirmedUrl: null,
      },
    })
  })

  it('is deeply frozen', () => {
    const config = readConfig({
      UPLOAD_STORAGE: 's3',
      S3_BUCKET: 'media',
      CORS_ORIGIN: 'http://a.example',
    })
    for (const part of [
      config,
      ...Object.values(config),
      config.upload.s3,
      config.http.corsOrigin,
      config.http.connections,
    ]) {
      expect(Object.isFrozen(part)).to.equal(true)
    }
  })

  it('treats an empty variable as unset and ignores unrelated variables', () => {
    expect(readConfig({ PORT: '', MONGODB_URI: ' ', SHELL: '/bin/sh' })).to.deep.equal(
      readConfig({}),
    )
  })

  const read: readonly [
    string,
    Record<string, string>,
    (config: ReturnType<typeof readConfig>) => unknown,
    unknown,
  ][] = [
    ['any free port', { PORT: '0' }, (config) => config.http.port, 0],
    [
      'the public address without its last slash',
      { PUBLIC_URL: 'https://cms.example/' },
      (config) => config.http.publicUrl,
      'https://cms.example',
    ],
    [
      'a public address from host and port',
      { HOST: '127.0.0.1', PORT: '80' },
      (config) => config.http.publicUrl,
      'http://127.0.0.1:80',
    ],
    [
      'a public address from an IPv6 host',
      { HOST: '::1' },
      (config) => config.http.publicUrl,
      'http://[::1]:1337',
    ],
    [
      'several origins',
      { CORS_ORIGIN: 'https://a.example, http://b.example:3000' },
      (config) => config.http.corsOrigin,
      ['https://a.example', 'http://b.example:3000'],
    ],
    [
      'internal hosts of webhooks',
      { WEBHOOK_ALLOW_HOSTS: 'build.internal, 10.0.0.5:9000, [::1]' },
      (config) => config.webhooks.allowHosts,
      ['build.internal', '10.0.0.5:9000', '[::1]'],
    ],
    ['a proxy', { TRUST_PROXY: 'on' }, (config) => config.http.trustedProxies, 1],
    ['two proxies', { TRUST_PROXY: '2' }, (config) => config.http.trustedProxies, 2],
    ['strict queries', { QUIRE_STRICT_QUERY: 'on' }, (config) => config.api.strictQuery, true],
    ['rate limits off', { RATE_LIMIT: 'off' }, (config) => config.http.rateLimit, false],
    [
      'a standalone allowed',
      { QUIRE_ALLOW_STANDALONE: '1' },
      (config) => config.database.allowStandalone,
      true,
    ],
    [
      'a cluster behind SRV',
      { MONGODB_URI: 'mongodb+srv://u:p@c.example/x' },
      (config) => config.database.uri,
      'mongodb+srv://u:p@c.example/x',
    ],
    [
      'the database name from the path of the URI',
      { MONGODB_URI: 'mongodb://u:p@a.example:1,b.example/my%2Dcms?replicaSet=r' },
      (config) => config.database.name,
      'my-cms',
    ],
    [
      'the default database name for a URI without a path',
      { MONGODB_URI: 'mongodb://a.example/?authSource=admin' },
      (config) => config.database.name,
      'quire',
    ],
    [
      'MONGODB_DATABASE in preference to the path of the URI',
      { MONGODB_URI: 'mongodb://u:p@a.example/admin', MONGODB_DATABASE: 'cms' },
      (config) => config.database.name,
      'cms',
    ],
    [
      'the default database name for an unused URI',
      { MONGODB_URI: 'mongodb://a.example/cms', QUIRE_DATABASE: 'embedded' },
      (config) => config.database.name,
      'quire',
    ],
    [
      'a forced database',
      { QUIRE_DATABASE: 'embedded' },
      (config) => config.database.kind,
      'embedded',
    ],
  ]
  for (const [label, env, pick, expected] of read) {
    it(`reads ${label}`, () => {
      expect(pick(readConfig(env))).to.deep.equal(expected)
    })
  }

  it('gives counts a shorter timeout than queries', () => {
    expect(readConfig({ QUERY_TIMEOUT_MS: '100' }).database.countTimeoutMs).to.equal(75)
  })

  it('lowers the default page size to the maximum', () => {
    expect(readConfig({ API_MAX_LIMIT: '10' }).api).to.include({
      defaultLimit: 10,
      maxLimit: 10,
    })
  })

  it('reads the settings of the S3 storage', () => {
    const env = {
      UPLOAD_STORAGE: 's3',
      S3_BUCKET: 'media',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    }
    expect(readConfig(env).upload.s3).to.deep.equal({
      bucket: 'media',
      region: 'us-east-1',
      endpoint: null,
      credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
      forcePathStyle: false,
      keyPrefix: '',
      publicUrl: null,
    })
  })

  const wrong: readonly [Record<string, string>, string][] = [
    [
      { MONGODB_URI: 'mongodb://u:p@h.example/admin' },
      'MONGODB_URI: its path names admin, a database of MongoDB itself; set MONGODB_DATABASE to the database of the content',
    ],
    ...['a.b', 'a%2Fb', 'a%', 'a%00b', 'x'.repeat(64)].map(
      (path): [Record<string, string>, string] => [
        { MONGODB_URI: `mongodb://h.example/${path}` },
        'MONGODB_URI: its path is not a database name; correct it or set MONGODB_DATABASE',
      ],
    ),
    [{ PORT: '65536' }, 'PORT: "65536" is not a whole number from 0 to 65535'],
    [{ PORT: '-1' }, 'PORT: "-1" is not a whole number from 0 to 65535'],
    [{ PORT: '80.5' }, 'PORT: "80.5" is not a whole number from 0 to 65535'],
    [{ PORT: '1e3' }, 'PORT: "1e3" is not a whole number from 0 to 65535'],
    [{ API_DEFAULT_LIMIT: '0' }, 'API_DEFAULT_LIMIT: "0" is not a whole number from 1 to 100000'],
    [{ NODE_ENV: 'prod' }, 'NODE_ENV: "prod" is not one of production, development, test'],
    [{ RATE_LIMIT: 'maybe' }, 'RATE_LIMIT: "maybe" is not on or off'],
    [{ RATE_LIMIT: 'toString' }, 'RATE_LIMIT: "toString" is not on or off'],
    [{ QUIRE_DATABASE: 'postgres' }, 'QUIRE_DATABASE: "postgres" is not uri, mongod or embedded'],
    [
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL: "loud" is not one of fatal, error, warn, info, debug, trace, silent',
    ],
    [
      { PUBLIC_URL: 'cms.example' },
      'PUBLIC_URL: "cms.example" is not an http:// or https:// address',
    ],
    [
      { WEBHOOK_ALLOW_HOSTS: 'https://build.internal' },
      'WEBHOOK_ALLOW_HOSTS: "https://build.internal" is not hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
    ],
    [
      { WEBHOOK_ALLOW_HOSTS: 'build.internal/hook' },
      'WEBHOOK_ALLOW_HOSTS: "build.internal/hook" is not hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
    ],
    [
      { WEBHOOK_ALLOW_HOSTS: 'a,,b' },
      'WEBHOOK_ALLOW_HOSTS: "a,,b" is not hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
    ],
    [
      { WEBHOOK_ALLOW_HOSTS: 'Build.internal' },
      'WEBHOOK_ALLOW_HOSTS: "Build.internal" is not hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
    ],
    [
      { CORS_ORIGIN: 'https://a.example/path' },
      'CORS_ORIGIN: "https://a.example/path" is not "*", or origins such as https://app.example.org, with commas between them',
    ],
    [{ QUIRE_DATABASE: 'uri' }, 'MONGODB_URI: must be given when QUIRE_DATABASE is uri'],
    [{ UPLOAD_STORAGE: 's3' }, 'S3_BUCKET: must be given when UPLOAD_STORAGE is s3'],
    [
      { API_DEFAULT_LIMIT: '200' },
      'API_DEFAULT_LIMIT: 200 is more than API_MAX_LIMIT, which is 100',
    ],
    [
      { COUNT_TIMEOUT_MS: '2000' },
      'COUNT_TIMEOUT_MS: 2000 is not less than QUERY_TIMEOUT_MS, which is 2000',
    ],
    [
      { HEADERS_TIMEOUT_MS: '2', REQUEST_TIMEOUT_MS: '1' },
      'HEADERS_TIMEOUT_MS: 2 is more than REQUEST_TIMEOUT_MS, which is 1',
    ],
    [
      { MONGODB_URI: 'postgres://u:hunter2@h/d' },
      'MONGODB_URI: what is given (not shown) is not a mongodb:// or mongodb+srv:// address',
    ],
  ]
  for (const [env, fault] of wrong) {
    it(`refuses ${JSON.stringify(env)}`, () => {
      expect(faultsOf(env)).to.deep.equal([fault])
    })
  }

  it('lists all faults at once', () => {
    for (const named of [{}, { QUIRE_DATABASE: 'uri' }]) {
      const env = { PORT: 'x', LOG_LEVEL: 'loud', ...named, NODE_ENV: 'production' }
      const faults = faultsOf(env)
      expect(faults.map((fault) => fault.split(':')[0])).to.have.members([
        'PORT',
        'LOG_LEVEL',
        'JWT_SECRET',
        'MONGODB_URI',
      ])
    }
  })

  it('requires explicit origins for cookies in production', () => {
    const env = {
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://h',
      JWT_SECRET: 'a secret of more than thirty-two characters',
      UP_JWT_MANAGEMENT: 'refresh',
      UP_SESSIONS_HTTPONLY: 'true',
    }
    expect(faultsOf(env)).to.have.length(1)
    expect(faultsOf(env)[0]).to.match(/^CORS_ORIGIN: must list the origins/)
    expect(faultsOf({ ...env, CORS_ORIGIN: 'https://app.example.org' })).to.deep.equal([])
    expect(faultsOf({ ...env, NODE_ENV: 'development' })).to.deep.equal([])
  })

  it('skips a rule between two variables if one of them is invalid', () => {
    expect(faultsOf({ API_DEFAULT_LIMIT: '200', API_MAX_LIMIT: 'many' })).to.have.length(1)
  })

  it('never shows a secret', () => {
    const env = {
      MONGODB_URI: 'http://hunter2',
      ROOT_API_TOKEN: 'hunter2 hunter2',
      SMTP_URL: 'hunter2',
    }
    const faults = faultsOf(env)
    expect(faults).to.have.length(3)
    expect(faults.join()).not.to.include('hunter2')
  })
})

describe('findNearMisses', () => {
  for (const [name, meant] of [
    ['MONGO_URI', 'MONGODB_URI'],
    ['QUIRE_DB', 'QUIRE_DATABASE'],
    ['API_MAXLIMIT', 'API_MAX_LIMIT'],
    ['CONTENT_TYPES_DIRS', 'CONTENT_TYPES_DIR'],
    ['MONGODB_URL', 'MONGODB_URI'],
    ['quire_data_dir', 'QUIRE_DATA_DIR'],
  ] as const) {
    it(`suggests ${meant} for ${name}`, () => {
      const question = `${name} is not a variable of Quire; did you mean ${meant}?`
      expect(findNearMisses({ [name]: 'x' })).to.deep.equal([question])
    })
  }

  it('ignores all other environment variables', () => {
    const env = { HOME: '/root', HOSTNAME: 'x', PATH: '/bin', PORTS: '1', constructor: 'x' }
    expect(findNearMisses(env)).to.deep.equal([])
  })

  it('gives no suggestion if the correct variable is set', () => {
    expect(findNearMisses({ MONGO_URI: 'x', MONGODB_URI: 'y' })).to.deep.equal([])
  })

  it('reads an identity provider with its role mapping', () => {
    const given = { OIDC_ISSUER: 'https://login.example.org/realms/x', OIDC_CLIENT_ID: 'quire' }
    const { oidc } = readConfig({ ...given, OIDC_ROLES: 'cn:admins=administrator, a=b=editor,*=x' })
    expect(oidc?.roles).to.deep.equal([
      { value: 'cn:admins', role: 'administrator' },
      { value: 'a=b', role: 'editor' },
      { value: '*', role: 'x' },
    ])
    expect(oidc).to.include({ clientSecret: null, rolesClaim: 'groups' })
    for (const wrong of [
      { ...given },
      { ...given, OIDC_ROLES: 'nothing' },
      { OIDC_CLIENT_ID: 'quire', OIDC_ROLES: '*=x' },
      { OIDC_ISSUER: given.OIDC_ISSUER, OIDC_ROLES: '*=x' },
      { ...given, OIDC_ISSUER: 'http://login.example.org', OIDC_ROLES: '*=x' },
      { ...given, OIDC_ISSUER: 'javascript:alert(1)', OIDC_ROLES: '*=x' },
      { ...given, OIDC_SCOPE: 'email', OIDC_ROLES: '*=x' },
    ]) {
      expect(() => readConfig(wrong), JSON.stringify(wrong)).to.throw(/OIDC_/)
    }
    expect(() => readConfig({ ...given, OIDC_CLIENT_SECRET: 'hidden', OIDC_ROLES: 'x' }))
      .to.throw(/OIDC_ROLES/)
      .and.not.match(/hidden/)
  })

  it('names cookies after the port of the public address or as configured', () => {
    const nameOf = (env: Record<string, string>): string => readConfig(env).http.cookieName
    expect(nameOf({ PORT: '4000' })).to.equal('4000')
    expect(nameOf({ PUBLIC_URL: 'https://cms.example.org' })).to.equal('')
    expect(nameOf({ PUBLIC_URL: 'https://cms.example.org:8443/' })).to.equal('8443')
    expect(nameOf({ PUBLIC_URL: 'https://cms.example.org', COOKIE_NAME: 'staging' })).to.equal(
      'staging',
    )
    for (const wrong of ['a b', 'a;b', 'a=b', 'ü', 'x'.repeat(41)]) {
      expect(() => readConfig({ COOKIE_NAME: wrong }), wrong).to.throw(/COOKIE_NAME/)
    }
  })

  it('accepts a plain HTTP identity provider only locally, in development and if allowed', () => {
    const oidc = { OIDC_CLIENT_ID: 'quire', OIDC_ROLES: '*=x', JWT_SECRET: 'secret' }
    const given = { ...oidc, OIDC_ISSUER: 'http://127.0.0.1:4000', CORS_ORIGIN: '*' }
    expect(readConfig({ ...given, OIDC_ALLOW_HTTP: 'on' }).oidc?.issuer).to.equal(given.OIDC_ISSUER)
    for (const wrong of [
      given,
      { ...given, NODE_ENV: 'production' },
      { ...given, NODE_ENV: 'production', OIDC_ALLOW_HTTP: 'on' },
      { ...given, OIDC_ISSUER: 'http://login.example.org', OIDC_ALLOW_HTTP: 'on' },
    ]) {
      expect(() => readConfig(wrong), JSON.stringify(wrong)).to.throw(/OIDC_ISSUER|OIDC_ALLOW_HTTP/)
    }
  })

  it('takes no word of a switch for a role that needs a second factor', () => {
    for (const word of ['on', 'true', 'yes', 'administrator,on']) {
      expect(() => readConfig({ ADMIN_SECOND_FACTOR: word }), word).to.throw(/ADMIN_SECOND_FACTOR/)
    }
    const { administrators } = readConfig({ ADMIN_SECOND_FACTOR: 'administrator,editor' })
    expect(administrators.secondFactor).to.deep.equal(['administrator', 'editor'])
  })
})
