import { existsSync, readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import { expect } from 'chai'
import { VARIABLES } from '../../../src/base/config/variables.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8')

const METRICS_TOKEN = 'metrics-token-of-this-test'

/** The parts of docs/operating/compose.yaml that refer to each other. */
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

interface ComposeService {
  readonly image?: string
  readonly build?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: unknown
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
}

/** The keys of a service that the example may have. */
const SERVICE_KEYS = [
  'build',
  'command',
  'depends_on',
  'environment',
  'healthcheck',
  'image',
  'ports',
  'restart',
  'stop_grace_period',
  'volumes',
]

interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

interface PrometheusConfig {
  readonly scrape_configs: readonly {
    readonly job_name: string
    readonly authorization: { readonly type?: string; readonly credentials: string }
    readonly metrics_path?: string
    readonly static_configs: readonly { readonly targets: readonly string[] }[]
  }[]
}

const readCompose = (): Compose => parseYaml(read('operating/compose.yaml')) as Compose

describe('docs/operating.md', () => {
  let server: TestServer
  before(async () => {
    server = await serve('operating', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      // Purges have metrics of their own.
      environment: {
        METRICS_TOKEN,
        CACHE_TAGS: 'xkey',
        CDN_PURGE: 'varnish',
        CDN_PURGE_URL: 'http://127.0.0.1:9/',
      },
    })
  })
  after(() => server.close())

  it('uses existing metrics only, on the page and on the dashboard', async () => {
    await server.get('/api/notes')
    const { text } = await server.get('/metrics', { token: METRICS_TOKEN })
    const measured = new Set([...text.matchAll(/^([a-z_]\w*)(?:\{| )/gm)].map(([, name]) => name))
    const dashboard = JSON.parse(read('operating/grafana-dashboard.json')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
    }
    const expressions = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...[...read('operating.md').matchAll(/^\| `([^`]*(?:quire_|nodejs_)[^`]*)`/gm)].map(
        ([, expression = '']) => expression,
      ),
    ]
    expect(expressions.length).to.be.above(15)
    const asked = expressions.flatMap(
      (expression) => expression.match(/\b(?:quire|nodejs|process)_\w+/g) ?? [],
    )
    expect([...new Set(asked)].filter((name) => !measured.has(name))).to.deep.equal([])
  })

  it('configures Prometheus for the address and the token of the metrics', async () => {
    const [, block = ''] = /^( {4}scrape_configs:\n(?: {4}.*\n)+)/m.exec(read('operating.md')) ?? []
    const { scrape_configs: jobs } = parseYaml(block.replaceAll(/^ {4}/gm, '')) as PrometheusConfig
    expect(jobs).to.have.length(1)
    const [{ authorization, metrics_path: path = '/metrics', static_configs: targets }] = jobs as [
      PrometheusConfig['scrape_configs'][number],
    ]
    expect(authorization).to.deep.equal({ credentials: '<METRICS_TOKEN>' })
    expect(targets).to.deep.equal([{ targets: ['quire:1337'] }])
    expect((await server.get(path, { token: METRICS_TOKEN })).status).to.equal(200)
    expect((await server.get(path, { token: null })).status).to.equal(403)
  })

  it('has a compose file whose services, volumes and ports fit together and fit the image', () => {
    const { services, volumes } = readCompose()
    const all = Object.values(services)
    const { quire, mongo } = services
    expect(all.flatMap(Object.keys).filter((key) => !SERVICE_KEYS.includes(key))).to.deep.equal([])
    expect(quire?.depends_on).to.deep.equal({ mongo: { condition: 'service_healthy' } })
    expect(mongo?.healthcheck).to.be.an('object')
    const mounted = all.flatMap((service) => service.volumes ?? [])
    const named = mounted.filter((mount) => !mount.startsWith('.')).map((m) => m.split(':')[0])
    expect(named).to.have.members(Object.keys(volumes))
    const docker = read(`operating/${quire?.build}/Dockerfile`)
    const volume = /^VOLUME (.*)$/m.exec(docker)?.[1]
    expect(mounted).to.include(`quire:${volume}`)
    const port = /^EXPOSE (.*)$/m.exec(docker)?.[1]
    expect(quire?.ports).to.deep.equal([`${port}:${port}`])
    expect(new URL(quire?.environment?.['MONGODB_URI'] ?? '').hostname).to.equal('mongo')
  })

  it('has a Kubernetes file with named objects', () => {
    const objects = read('operating/kubernetes.yaml')
      .split(/^---$/m)
      .map((text) => parseYaml(text) as KubernetesObject)
    expect(objects.map(({ kind }) => kind).sort()).to.deep.equal([
      'Deployment',
      'Secret',
      'Service',
    ])
    for (const { apiVersion, metadata } of objects) {
      expect(apiVersion).to.match(/^(apps\/)?v1$/)
      expect(metadata.name).to.match(/^[a-z][a-z0-9-]*$/)
    }
  })

  it('mounts folders that exist', () => {
    const mounts = [...read('operating/compose.yaml').matchAll(/^ {6}- (\.[^:]*):/gm)]
    const folders = mounts.map(
      ([, folder = '']) => new URL(`../../../../docs/operating/${folder}`, import.meta.url),
    )
    expect(folders.length).to.be.above(0)
    expect(folders.filter((folder) => !existsSync(folder))).to.deep.equal([])
  })

  it('sets existing variables only', () => {
    const known = new Set(Object.keys(VARIABLES))
    const compose = read('operating/compose.yaml')
    const kubernetes = read('operating/kubernetes.yaml')
    const given = [
      ...compose.matchAll(/^ {6}([A-Z][A-Z_]+):/gm),
      ...kubernetes.matchAll(/(?:^ {2}|name: )([A-Z][A-Z_]+)[:,]/gm),
    ].map(([, name = '']) => name)
    expect(given.length).to.be.above(8)
    expect(given.filter((name) => !known.has(name))).to.deep.equal([])
  })
})
