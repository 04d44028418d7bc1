import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const UNI = 'api::uni.uni'
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const

/** A dropped condition would widen a list or a rule. */
describe('inherited names in requests', () => {
  let server: TestServer
  let documentId: string

  before(async () => {
    server = await serve('inherited_names', {
      contentTypes: {
        uni: declare('uni', {
          title: { type: 'string' },
          tag: { type: 'relation', relation: 'manyToOne', target: UNI },
        }),
      },
    })
    const answer = await server.post('/api/unis', { title: 'one' })
    documentId = answer.body.data.documentId
  })
  after(() => server.close())

  const refused = ({ status, body, text }: Answer, path: RegExp): void => {
    expect(status, text).to.equal(400)
    expect(JSON.stringify(body.error)).to.match(path)
  }
  const inBodies = (name: string): RegExp =>
    name === '__proto__' ? /forbidden prototype property/ : new RegExp(name)

  for (const name of NAMES) {
    const named = new RegExp(name)

    it(`refuses ${name} in query strings`, async () => {
      for (const query of [
        `filters[${name}][$eq]=1`,
        `filters[$and][0][${name}]=1`,
        `filters[tag][${name}][$eq]=1`,
        `filters[title][${name}]=1`,
        `filters%5B${name}%5D=1`,
        `sort[${name}]=asc`,
        `sort=${name}`,
        `fields[0]=${name}`,
        `populate[${name}][fields]=title`,
        `populate=${name}`,
        `populate[tag][filters][${name}]=1`,
        `populate[tag][${name}]=1`,
      ]) {
        for (const path of ['/api/unis', `/admin/content/${UNI}`, '/api/users']) {
          if (path === '/api/users' && /title|tag/.test(query)) continue
          if (path === '/api/users' && query.startsWith('sort')) continue
          refused(await server.get(`${path}?${query}`), named)
        }
      }
    })

    it(`refuses ${name} in bodies`, async () => {
      const json = (value: string): string => `{"${name}":${value}}`
      const headers = { 'content-type': 'application/json' }
      const send = (method: string, path: string, body: string): Promise<Answer> =>
        server.send(method, path, { body, headers })
      refused(await send('POST', '/api/unis', `{"data":${json('"x"')}}`), inBodies(name))
      refused(
        await send('PUT', `/api/unis/${documentId}`, `{"data":${json('{"a":1}')}}`),
        inBodies(name),
      )
      const rule = `{"action":"${UNI}.find","where":${json('"x"')}}`
      const token = `{"name":"t","type":"custom","rules":[${rule}]}`
      refused(await send('POST', '/admin/api-tokens', token), inBodies(name))
      refused(await send('PUT', '/admin/roles/public', `{"rules":[${rule}]}`), inBodies(name))
      const nested = `{"action":"${UNI}.find","where":{"$or":[{"tag":${json('"x"')}}]}}`
      refused(await send('PUT', '/admin/roles/public', `{"rules":[${nested}]}`), inBodies(name))
      const set = `{"action":"${UNI}.create","set":${json('"x"')}}`
      refused(await send('PUT', '/admin/roles/public', `{"rules":[${set}]}`), inBodies(name))
    })

    it(`refuses ${name} in forms`, async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const body of [`data[title]=x&data[${name}]=1`, `data.title=x&data.${name}=1`]) {
        refused(await server.send('POST', '/api/unis', { body, headers }), named)
      }
    })

    it(`refuses ${name} in lines of bulk writes`, async () => {
      const headers = { 'content-type': 'application/x-ndjson' }
      const line = `{"op":"upsert","type":"uni","documentId":"${documentId}","data":{"${name}":1}}`
      const { text } = await server.send('POST', '/api/_bulk', { body: line, headers })
      const result: Json = JSON.parse(text.split('\n')[0] ?? '')
      expect(result.error.status ?? result.status, text).to.equal(400)
      expect(text).to.match(named)
    })
  }
})
