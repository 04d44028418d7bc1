import { type Library, loadLibrary, openLibrary } from './library.ts'
import { type Row, testTable } from './table.ts'

/**
 * Permissions are checked before the query and the payload, and the syntax of a body before
 * permissions.
 */
const ACCESS: readonly Row[] = [
  ...[
    'GET /secret-notes',
    'GET /secret-notes/zzz',
    'GET /secret-notes?filters[nope]=1',
    'DELETE /secret-notes/zzz',
  ].map((target): Row => [`public ${target}`, '403 ForbiddenError: Forbidden']),
  ['public POST /secret-notes', {}, '403 ForbiddenError: Forbidden'],
  ['public PUT /secret-notes/zzz', { data: { nope: 1 } }, '403 ForbiddenError: Forbidden'],
  ['public POST /secret-notes', '{bad', /^400 SyntaxError/],
  ...[
    'GET /tags',
    'GET /homepage',
    'GET /upload/files',
    'GET /users',
    'GET /i18n/locales',
    'DELETE /tags/zzz',
    'PUT /setting',
  ].map((target): Row => [
    `invalid ${target}`,
    '401 UnauthorizedError: Missing or invalid credentials',
  ]),
  ...['GET /nopes', 'GET /tags/x/y'].map((target): Row => [
    `invalid ${target}`,
    '404 NotFoundError: Not Found',
  ]),
  ...['GET /secret-notes', 'GET /users', 'GET /upload/files'].map((target): Row => [
    `readonly ${target}`,
    200,
  ]),
  ...[
    'DELETE /tags/zzz',
    'PUT /homepage',
    'DELETE /setting',
    'POST /users',
    'DELETE /users/1',
    'DELETE /upload/files/1',
    'GET /users/me',
    'GET /users/count',
  ].map((target): Row => [
    `readonly ${target}`,
    /^403 ForbiddenError: Forbidden: \S+ is not permitted$/,
  ]),
  ...[
    'GET /articles/{{a1}}',
    'GET /tags',
    'GET /homepage',
    'GET /users',
    'GET /upload/files',
    'POST /articles',
    'GET /articles?status=draft',
  ].map((target): Row => [
    `custom ${target}`,
    /^403 ForbiddenError: Forbidden: \S+ is not permitted$/,
  ]),
  ...[
    'GET /categories',
    'DELETE /articles/{{a1}}',
    'GET /homepage',
    'PUT /setting',
    'GET /users',
    'GET /articles?status=draft',
  ].map((target): Row => [`user ${target}`, '403 ForbiddenError: Forbidden']),
  ['user GET /tags?fields=name&filters[name]=red → name', ['red']],
  ['user POST /articles?fields=title → title', { data: { title: 'by a user' } }, 'by a user'],
  ['user GET /users/me → username', 'reader'],
  ['user GET /users/me?populate=role → role', undefined],
  ['public GET /users/me', '403 ForbiddenError: Forbidden'],
  ['root GET /users/me', '401 UnauthorizedError: Unauthorized'],
]

/** Paths, methods and the envelope of a body. */
const HTTP: readonly Row[] = [
  ['GET /nopes', '404 NotFoundError: Not Found'],
  ['GET /', '404 NotFoundError: Not Found'],
  ['GET /homepages', '404 NotFoundError: Not Found'],
  ['GET /article', '404 NotFoundError: Not Found'],
  ['GET /setting/zzz', '404 NotFoundError: Not Found'],
  ['GET /tags/', 200],
  ['GET /tags/{{red}}/ → name', 'red'],
  ['GET /tags//', '404 NotFoundError: Not Found'],
  ['GET //tags', '404 NotFoundError: Not Found'],
  ['GET /Tags?filters[name]=red → name', ['red']],
  ['GET /tags/{{red}}/articles', '404 NotFoundError: Not Found'],
  ['GET /tags/{{red.id}}', '404 NotFoundError: Not Found'],
  ...[
    'PATCH /tags',
    'PUT /tags',
    'DELETE /tags',
    'PATCH /tags/{{red}}',
    'POST /tags/{{red}}',
    'POST /homepage',
    'PATCH /setting',
  ].map((target): Row => [target, '405 MethodNotAllowedError: Method Not Allowed']),
  ...['POST /nopes', 'PUT /nopes/1', 'DELETE /nopes/1', 'PUT /setting/zzz'].map((target): Row => [
    target,
    '404 NotFoundError: Not Found',
  ]),
  ...[
    {},
    { label: 'x' },
    { data: null },
    { data: 'x' },
    { data: 5 },
    { data: true },
    { data: false },
    { data: '' },
    [],
  ].flatMap((body): Row[] => [
    ['POST /samples', body, '400 ValidationError: Missing "data" payload in the request body'],
    ['PUT /tags/{{red}}', body, '400 ValidationError: Missing "data" payload in the request body'],
    ['PUT /homepage', body, '400 ValidationError: Missing "data" payload in the request body'],
  ]),
  ['POST /samples', { data: [] }, /^400 ValidationError: this must be a `object` type/],
  ['POST /samples', '"x"', /^400 SyntaxError: invalid JSON, only supports object and array$/],
  [
    'POST /samples',
    '{"data":{"label":"a","__proto__":{}}}',
    /^400 SyntaxError: Object contains forbidden prototype property$/,
  ],
  ['POST /samples → label', '{"data":{"label":"a","label":"b"}}', 'b'],
]

describe('the contract of access', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_access')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('permissions', () => testTable(() => library, ACCESS))
  describe('paths, methods and bodies', () => testTable(() => library, HTTP))
})
