import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Frame, FrameLocator, Page } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import { fieldAt, openPiece, PERSON, PIECE, titleOf, untilSaved } from './editors.ts'
import { startLiveSite } from './live-site.ts'
import { previewBefore, stopSite } from './preview-site.ts'
import type { Server } from './server.ts'

describeInBrowser('the live preview of an entry', () => {
  let server: Server
  let window: Window
  let page: Page
  /** The origin that the page takes for the Studio. */
  let studio: string | null = null
  previewBefore(
    (apiOf) => startLiveSite(apiOf, () => studio ?? apiOf()),
    (opened) => {
      ;({ server, window } = opened)
      page = window.page
    },
  )
  beforeEach(async () => {
    studio = null
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  const shown = (): FrameLocator => page.frameLocator('iframe:visible')
  const heading = (name: string) => shown().getByRole('heading', { name, exact: true })
  const born = () => shown().locator('output').textContent()
  const siteFrame = (): Frame =>
    page.mainFrame().childFrames()[0] ?? expect.fail('there is no frame')
  const receivedIn = (frame: Frame): Promise<string> =>
    frame.evaluate(() => JSON.stringify((globalThis as never)['received']))
  const open = async (data: object): Promise<void> => {
    const answer = await server.ask('POST', PIECE, { data })
    await openPiece(page, server, answer.data.documentId)
    const button = page.getByRole('button', { name: 'Preview' })
    if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click()
    await shown().locator('output').waitFor()
  }

  it('shows unsaved edits in the same page', async () => {
    await open({ title: 'Before' })
    await heading('Before').waitFor()
    const before = await born()
    await page.route('**/admin/content/**', (route) => route.abort())
    await titleOf(page).fill('While the network is gone')
    await heading('While the network is gone').waitFor()
    await page.unroute('**/admin/content/**')
    await titleOf(page).fill('After')
    await untilSaved(page)
    await heading('After').waitFor()
    expect(await born()).to.equal(before)
  })

  it('reads the entry again after a save, so that new relations are complete', async () => {
    const { data } = await server.ask('POST', PERSON, { data: { name: 'Ovid' } })
    await open({ title: 'With an author', author: data.documentId })
    await shown().getByText('Ovid').waitFor()
    await server.ask('PUT', `${PERSON}/${data.documentId}`, {
      data: { name: 'Publius Ovidius Naso' },
    })
    await titleOf(page).fill('With a renamed author')
    await untilSaved(page)
    await shown().getByText('Publius Ovidius Naso').waitFor()
    await heading('With a renamed author').waitFor()
  })

  it('opens the field of a click in the page, in a folded component too', async () => {
    const sections = [
      { __component: 'parts.chapter', heading: 'One' },
      { __component: 'parts.quote', text: 'Two' },
    ]
    await open({ title: 'In parts', sections })
    await heading('In parts').click()
    await untilFocused('title')
    await fieldAt(page, 'sections')
      .getByRole('button', { name: /^Collapse all/ })
      .click()
    await shown().getByText('Two').click()
    await page.waitForFunction(
      () =>
        document.activeElement instanceof HTMLTextAreaElement &&
        document.activeElement.value === 'Two',
    )
    await page.keyboard.type('!')
    await shown()
      .getByText(/^(!Two|Two!)$/)
      .waitFor()
    await shown().getByText('One').waitFor()
  })

  it('shows the form on a phone when a field is chosen', async () => {
    await open({ title: 'On a phone' })
    await page.setViewportSize({ width: 360, height: 740 })
    await titleOf(page).waitFor({ state: 'hidden' })
    await heading('On a phone').click()
    await untilFocused('title')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Preview' }).click()
  })

  it('sends no private value', async () => {
    await open({ title: 'With a note', note: 'canary-note', secret: 'canary-secret' })
    await titleOf(page).fill('With a hidden note')
    await heading('With a hidden note').waitFor()
    await fieldAt(page, 'note').getByRole('textbox').fill('canary-typed')
    await titleOf(page).fill('Told again')
    await heading('Told again').waitFor()
    expect(await receivedIn(siteFrame()))
      .to.contain('Told again')
      .and.not.contain('canary')
  })

  it('ignores malformed names of fields', async () => {
    await open({ title: 'Attacked' })
    await titleOf(page).focus()
    await siteFrame().evaluate((address) => {
      for (const field of [
        '"] , body',
        '__proto__',
        'constructor.name',
        'x'.repeat(1_000),
        7,
        null,
      ])
        parent.postMessage({ quire: 'open', field }, address)
      parent.postMessage(null, address)
      parent.postMessage({ quire: 'open', field: 'teaser' }, address)
    }, server.address)
    await untilFocused('teaser')
    expect(window.complaints.filter((text) => !text.includes('ERR_FAILED'))).to.deep.equal([])
  })

  it('ignores frames within the page, and tells them nothing', async () => {
    const other = await startLiveSite(
      () => server.address,
      () => server.address,
    )
    try {
      await open({ title: 'At home' })
      await heading('At home').waitFor()
      const { port } = other.address() as AddressInfo
      await siteFrame().evaluate((address) => {
        const inner = document.createElement('iframe')
        inner.src = address
        document.body.append(inner)
      }, `http://127.0.0.1:${port}/`)
      await shown().frameLocator('iframe').locator('output').filter({ hasText: '.' }).waitFor()
      const [inner = expect.fail('there is no inner frame')] = siteFrame().childFrames()
      await page.evaluate(() => {
        const focused: (string | undefined)[] = []
        Object.assign(globalThis, { focused })
        document.addEventListener('focusin', ({ target }) =>
          focused.push((target as Element).closest<HTMLElement>('[data-field]')?.dataset['field']),
        )
      })
      await inner.evaluate((address) => {
        top?.postMessage({ quire: 'ready' }, address)
        top?.postMessage({ quire: 'open', field: 'teaser' }, address)
      }, server.address)
      await siteFrame().evaluate(
        (address) => parent.postMessage({ quire: 'open', field: 'contact' }, address),
        server.address,
      )
      await untilFocused('contact')
      await titleOf(page).fill('Unheard')
      await heading('Unheard').waitFor()
      expect(await page.evaluate(() => (globalThis as never)['focused'])).to.not.include('teaser')
      expect(await receivedIn(inner)).to.not.include('Unheard')
      expect(await receivedIn(siteFrame())).to.include('Unheard')
    } finally {
      stopSite(other)
    }
  })

  it('opens no other site in the frame, and shows the page again after a save', async () => {
    const other = await startLiveSite(
      () => server.address,
      () => server.address,
    )
    let requests = 0
    other.on('request', () => (requests += 1))
    try {
      await open({ title: 'At home' })
      await heading('At home').waitFor()
      const { port } = other.address() as AddressInfo
      const gone = page.waitForEvent('framenavigated')
      await siteFrame().evaluate(
        (address) => void (location.href = address),
        `http://127.0.0.1:${port}/`,
      )
      await gone
      await titleOf(page).fill('Back again')
      await untilSaved(page)
      await heading('Back again').waitFor()
      expect(requests).to.equal(0)
    } finally {
      stopSite(other)
    }
  })

  it('reloads a page that follows another Studio', async () => {
    studio = 'https://other.example.org'
    await open({ title: 'Not for this Studio' })
    await heading('Not for this Studio').waitFor()
    const before = await born()
    await titleOf(page).fill('Loaded again')
    await untilSaved(page)
    await heading('Loaded again').waitFor()
    expect(await born()).not.to.equal(before)
    expect(await receivedIn(siteFrame())).not.to.contain('Loaded again')
  })

  const untilFocused = (place: string): Promise<unknown> =>
    page.waitForFunction(
      (wanted) =>
        document.activeElement?.closest('[data-field]')?.getAttribute('data-field') === wanted,
      place,
    )
})
