import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import { fieldAt, openAs, openPiece, PIECE, startWithEditors } from './editors.ts'
import type { Server } from './server.ts'

const PERSON = 'api::person.person'
const MANY = 135_000
const TOO_SLOW = { error: { status: 504, name: 'TimeoutError', message: 'It took too long' } }

describeInBrowser('the search of a relation', function () {
  let server: Server
  let window: Window
  let page: Page
  let documentId: string
  /** The questions for persons, but those about the ones that are linked. */
  let asked: URLSearchParams[]
  before(async () => {
    server = await startWithEditors()
    documentId = (await server.ask('POST', PIECE, { data: { title: 'Read' } })).data.documentId
    window = await openAs(server, 'Ada')
    page = window.page
    page.on('request', note)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })
  afterEach(async () => page.unrouteAll())

  const note = (request: Request): void => {
    const { pathname, searchParams } = new URL(request.url())
    if (decodeURIComponent(pathname).endsWith(`/content/${PERSON}`) && searchParams.has('sort')) {
      asked.push(searchParams)
    }
  }
  const field = () => fieldAt(page, 'readers')
  const box = () => field().getByRole('combobox')
  const offered = (name: string) => page.getByRole('option', { name })
  const open = async (): Promise<void> => {
    asked = []
    await openPiece(page, server, documentId)
    await box().scrollIntoViewIfNeeded()
    // Scrolling closes the list: the page stands still after two frames.
    await page.evaluate(
      async () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))),
        ),
    )
    // The order depends on the number of entries, and a late layout closes the list again.
    const counted = page.getByRole('navigation').getByRole('link', { name: /^Persons\s*\d/ })
    await counted.waitFor()
    while ((await box().getAttribute('aria-expanded')) !== 'true') await box().click()
    await offered('Emily').waitFor()
  }
  const orders = (): readonly (string | null)[] => asked.map((one) => one.get('sort'))
  /** As a server answers that has 135,000 persons. */
  const makeLong = async (isIndexed: boolean): Promise<void> => {
    await page.route('**/admin/counts', (route) =>
      route.fulfill({ json: { data: { [PERSON]: MANY } } }),
    )
    await page.route(/\/admin\/content-types\/api.*person/, async (route) => {
      const response = await route.fetch()
      const json = (await response.json()) as { data: { attributes: { name: object } } }
      Object.assign(json.data.attributes.name, { index: isIndexed })
      await route.fulfill({ response, json })
    })
    await page.route(/person\?.*_q=/, (route) => route.fulfill({ status: 504, json: TOO_SLOW }))
  }

  it('lists a small type by title', async () => {
    await open()
    expect(orders().at(-1)).to.equal('name')
    await box().fill('sap')
    await offered('Sappho').waitFor()
    await offered('Emily').waitFor({ state: 'detached' })
  })

  it('lists the newest entries of a large type, and explains the missing index', async () => {
    await makeLong(false)
    await open()
    expect(orders()).to.deep.equal(['id:desc'])
    await box().fill('sap')
    const said = page.getByRole('status').filter({ hasText: 'Too many entries to search' })
    await said.getByText('Ask a developer to declare “index” for Name').waitFor()
    expect(asked.filter((one) => one.get('_q') === 'sap').length).to.equal(1)
    await offered('New: sap').waitFor()
  })

  it('finds entries of a large type by the start of an indexed title', async () => {
    await makeLong(true)
    await open()
    expect(orders()).to.deep.equal(['name'])
    await box().fill('sap')
    await offered('Sappho').waitFor()
    await page.getByText('These are the entries with a Name that starts with your text').waitFor()
    await offered('Sappho').click()
    await field().getByRole('listitem').getByText('Sappho').waitFor()
  })

  it('logs no browser errors except timeouts', () => {
    const unexpected = window.complaints.filter((text) => !/status of 504/.test(text))
    expect(unexpected).to.deep.equal([])
  })
})
