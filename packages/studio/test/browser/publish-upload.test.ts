import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilPublished } from './editors.ts'
import type { Answer, Server } from './server.ts'

describeInBrowser('a publication while a picture is uploaded', () => {
  let server: Server
  let page: Page
  let buffer: Buffer
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })
  afterEach(() => page.unrouteAll())
  before(async () => {
    const create = { width: 80, height: 60, channels: 3, background: '#3a3' } as const
    buffer = await sharp({ create }).png().toBuffer()
  })

  const open = async (title: string): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title } })).data
    await openPiece(page, server, documentId)
    return documentId
  }
  /** Resolves with the request of the upload, which waits. */
  const uploadHeld = async (button: string): Promise<Route> => {
    const isForm = (url: URL): boolean => url.pathname === '/admin/files'
    const held = new Promise<Route>((resolve) => {
      void page.route(isForm, (route) =>
        route.request().method() === 'POST' ? resolve(route) : route.continue(),
      )
    })
    const chooser = page.waitForEvent('filechooser')
    await fieldAt(page, 'cover').getByRole('button', { name: button, exact: true }).click()
    await (await chooser).setFiles({ name: 'late.png', mimeType: 'image/png', buffer })
    return held
  }
  const coverOf = async (documentId: string): Promise<string | null> => {
    const query = 'status=published&populate=cover'
    const { data } = await server.ask('GET', `${PIECE}?filters[documentId]=${documentId}&${query}`)
    return (data as readonly Answer[]).map(({ cover }) => cover?.name ?? 'none')[0] ?? null
  }

  it('waits for the picture, with one press', async () => {
    const documentId = await open('Waits')
    const upload = await uploadHeld('Upload')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    expect(await coverOf(documentId)).to.equal(null)
    await upload.continue()
    await untilPublished(page)
    expect(await coverOf(documentId)).to.equal('late.png')
  })

  it('does not happen if the upload is cancelled', async () => {
    const documentId = await open('Cancelled')
    const upload = await uploadHeld('Upload')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await fieldAt(page, 'cover')
      .getByRole('button', { name: /late\.png/ })
      .click()
    await page.getByText('Not published: a file was not uploaded').waitFor()
    await upload.abort()
    expect(await coverOf(documentId)).to.equal(null)
  })

  it('is refused with its reason if the picture does not arrive', async () => {
    const documentId = await open('Refused')
    await chooseGerman(page, server)
    await openPiece(page, server, documentId)
    const upload = await uploadHeld('Hochladen')
    await page.getByRole('button', { name: 'Veröffentlichen', exact: true }).click()
    const error = { status: 400, name: 'ValidationError', message: 'Too large', details: {} }
    await upload.fulfill({ status: 400, json: { data: null, error } })
    await page.getByText('Nicht veröffentlicht: Eine Datei wurde nicht hochgeladen').waitFor()
    expect(await coverOf(documentId)).to.equal(null)
  })
})
