import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const ARTICLES = 60
const PAGE_SIZE = 50

const titleOf = (at: number): string => `Article ${String(at).padStart(2, '0')}`

describeInBrowser('the list of a type', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    const category = await server.ask('POST', '/api/categories', {
      data: { name: 'Maps', slug: 'maps' },
    })
    for (let at = 1; at <= ARTICLES; at += 1) {
      await server.ask('POST', `/api/articles${at % 2 === 0 ? '' : '?status=draft'}`, {
        data: {
          title: titleOf(at),
          slug: `article-${at}`,
          body: 'Text',
          readingMinutes: at,
          ...(at <= 5 && { category: category.data.documentId }),
        },
      })
    }
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const open = async (search = ''): Promise<void> => {
    await page.goto(`${server.address}/studio/content/articles${search}`)
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor()
    await rows().first().waitFor()
  }
  const rows = () =>
    page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') })
  const row = (title: string) => rows().filter({ hasText: title })
  const expectRows = async (count: number): Promise<void> => {
    await page.waitForFunction(
      (wanted) =>
        document.querySelectorAll('[role=grid] [role=row]:has([role=gridcell])').length === wanted,
      count,
    )
  }

  it('shows a page of entries with their state, and the next page', async () => {
    await open()
    await expectRows(PAGE_SIZE)
    expect(await row(titleOf(60)).getByText('Published').count()).to.equal(1)
    expect(await row(titleOf(59)).getByText('Draft').count()).to.equal(1)
    await page.getByText('1–50 of 60').waitFor()
    await page.getByRole('button', { name: 'Next page' }).press('Enter')
    await expectRows(ARTICLES - PAGE_SIZE)
    await page.getByText('51–60 of 60').waitFor()
    await page.reload()
    await page.getByText('51–60 of 60').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expectRows(PAGE_SIZE)
    await page.getByText('1–50 of 60').waitFor()
    await expectAccessible(page, 'list')
  })

  it('reserves the space of a missing image, on hover too', async () => {
    await open()
    const first = rows().first()
    await first.hover()
    await page.locator('[role=row][data-hovered]').waitFor()
    const [place, behind] = await first.evaluate((hovered) => {
      const empty = hovered.querySelector('[class*="noPicture"]')
      const colorOf = (node: Element | null | undefined): string | null =>
        node === null || node === undefined ? null : getComputedStyle(node).backgroundColor
      return [colorOf(empty), colorOf(empty?.closest('[role=gridcell], [role=rowheader]'))]
    })
    expect(place).to.be.a('string').and.not.equal(behind)
  })

  it('searches while the user types, and shows an empty result', async () => {
    await open()
    await page.getByRole('searchbox', { name: 'Search' }).fill('article 07')
    await expectRows(1)
    await page.getByRole('searchbox', { name: 'Search' }).fill('no such thing')
    await page.getByText('No matches').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expectRows(PAGE_SIZE)
  })

  it('filters by state, number and relation, and keeps the filters in the URL', async () => {
    await open()
    const add = async (attribute: string): Promise<void> => {
      await page.getByRole('button', { name: '+ Filter' }).click()
      await page.getByRole('button', { name: 'Attribute' }).click()
      await page.getByRole('option', { name: attribute, exact: true }).click()
    }
    await add('Reading minutes')
    await page.getByRole('button', { name: 'Condition' }).click()
    await page.getByRole('option', { name: '≤' }).click()
    await page.getByLabel('Value').fill('9')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectRows(9)
    await add('State')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectRows(5)
    await add('Category')
    await page.getByRole('option', { name: 'Maps' }).click()
    await expectAccessible(page, 'filter')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectRows(3)
    await page.getByText('3 of 3 matches').waitFor()
    await page.reload()
    await expectRows(3)
    const remove = page.getByRole('button', { name: 'Remove filter' })
    await remove.last().click()
    await expectRows(5)
    await page.getByText('Filter removed').waitFor()
    await page.getByRole('button', { name: '+ Filter' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+z')
    await expectRows(3)
    await page.getByRole('button', { name: 'Category is Maps' }).waitFor()
    await page.getByRole('button', { name: 'Remove filter' }).last().click()
    await expectRows(5)
  })

  it('filters changed entries together with a search, and keeps both in the URL', async () => {
    const { data } = await server.ask('GET', '/api/articles?filters[slug]=article-8')
    const path = `/api/articles/${data[0].documentId}?status=draft`
    await server.ask('PUT', path, { data: { readingMinutes: 99 } })
    await open()
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    await page.getByRole('option', { name: 'State', exact: true }).click()
    await page.getByRole('button', { name: 'Value' }).click()
    await page.getByRole('option', { name: 'changed since it was published' }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectRows(1)
    expect(await row(titleOf(8)).getByText('Changed').count()).to.equal(1)
    await page.getByText('1 of 1 matches').waitFor()
    await page.reload()
    await expectRows(1)
    await page.getByRole('searchbox', { name: 'Search' }).fill('article 07')
    await page.getByText('No matches').waitFor()
    await server.ask(
      'POST',
      `/admin/content/api::article.article/${data[0].documentId}/actions/discard`,
    )
  })

  it('sorts by a press on a column header', async () => {
    await open()
    await page.getByRole('columnheader', { name: 'Title' }).click()
    await rows().first().getByText(titleOf(1)).waitFor()
    await page.getByRole('columnheader', { name: 'Title' }).click()
    await rows().first().getByText(titleOf(60)).waitFor()
  })

  it('saves the chosen columns and their order', async () => {
    await open()
    const heads = () => page.getByRole('columnheader').allTextContents()
    expect(await heads())
      .to.include('State')
      .and.not.include('Slug')
    await page.getByRole('button', { name: 'Columns' }).click()
    const kept = page.waitForResponse((answer) => answer.url().includes('/preferences/'))
    await page.getByRole('dialog').getByText('Slug').click()
    await kept
    const moved = page.waitForResponse((answer) => answer.url().includes('/preferences/'))
    await page.getByRole('button', { name: 'Move Slug up' }).click()
    await moved
    await page.reload()
    await rows().first().waitFor()
    expect((await heads()).slice(-2)).to.deep.equal(['Slug', 'Updated'])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByText('Slug').click()
    await page.getByText('Column hidden: Slug').waitFor()
    expect(await heads()).to.not.include('Slug')
    await page.keyboard.press('Control+z')
    await page.getByRole('columnheader', { name: 'Slug' }).waitFor({ state: 'attached' })
    expect((await heads()).slice(-2)).to.deep.equal(['Slug', 'Updated'])
  })

  it('works by keyboard: arrow keys move, Space selects, Enter opens', async () => {
    await open('?sort=title%3Aasc')
    await rows().first().getByText(titleOf(1)).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).focus()
    for (let at = 0; at < 6 && !(await isInGrid()); at += 1) await page.keyboard.press('Tab')
    expect(await isInGrid()).to.equal(true)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.waitForURL(/content\/articles\/[a-z0-9]{24}/)
  })

  const isInGrid = () =>
    page.evaluate(() => document.activeElement?.closest('[role=grid]') !== null)

  it('sends the same number of requests for fifty rows as for one', async () => {
    const countRequests = async (search: string): Promise<number> => {
      // The entry that was open before asks for the rest of itself until it is left.
      await page.goto('about:blank')
      const asked: string[] = []
      const note = (request: { url(): string }): void => {
        const { pathname } = new URL(request.url())
        if (/^\/(admin|api)\//.test(pathname)) asked.push(pathname)
      }
      page.on('request', note)
      await open(search)
      await page.waitForLoadState('networkidle')
      page.off('request', note)
      return asked.length
    }
    const ofOne = await countRequests('?q=%22article%2007%22')
    expect(await countRequests(''))
      .to.equal(ofOne)
      .and.be.at.most(10)
  })

  it('starts all its requests at the same time', async () => {
    await page.goto('about:blank')
    const declaration = /content-types\/api%3A%3Aarticle/
    let release = (): void => undefined
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    await page.route(declaration, async (route) => {
      await isReleased
      await route.continue()
    })
    const asked = ['/admin/locales', '/admin/me/preferences'].map((path) =>
      page.waitForRequest((request) => new URL(request.url()).pathname === path),
    )
    await page.goto(`${server.address}/studio/content/articles`)
    await Promise.all(asked)
    release()
    await rows().first().waitFor()
    await page.unroute(declaration)
  })

  it('publishes several entries, and undoes it', async () => {
    await open('?sort=title%3Aasc')
    for (const at of [1, 3]) await row(titleOf(at)).locator('label').click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('2 entries published').waitFor()
    await row(titleOf(1)).getByText('Published').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(titleOf(1)).getByText('Draft').waitFor()
  })

  it('shows notices above the bar for the selection', async () => {
    const size = page.viewportSize()
    try {
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await open()
        await row(titleOf(58)).locator('label').click()
        const bar = page.getByRole('region', { name: 'Actions for the selection' })
        await bar.getByRole('button', { name: 'Publish', exact: true }).click()
        const notice = page.getByText('1 entry published')
        await notice.waitFor()
        await row(titleOf(56)).locator('label').click()
        await bar.waitFor()
        const [above, below] = [await notice.boundingBox(), await bar.boundingBox()]
        expect((above?.y ?? 0) + (above?.height ?? 0)).to.be.below(below?.y ?? 0)
        expect(above?.y).to.be.above(0)
      }
    } finally {
      if (size !== null) await page.setViewportSize(size)
    }
  })

  it('publishes all matches on every page, with a result for each', async () => {
    await open('?sort=title%3Aasc')
    await page.getByRole('columnheader').first().locator('label').click()
    const everything = page.getByRole('button', { name: 'Select all 60' })
    const clear = page.getByRole('button', { name: 'Clear', exact: true })
    const [first, last] = [await everything.boundingBox(), await clear.boundingBox()]
    expect(Math.abs((first?.y ?? 0) - (last?.y ?? 99))).to.be.below(12) // in one line
    await everything.click()
    await page.getByText('60 selected').waitFor()
    await expectAccessible(page, 'selection')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('60 entries published').waitFor()
    const published = await server.ask('GET', '/api/articles?pagination[pageSize]=1')
    expect(published.meta.pagination.total).to.equal(ARTICLES)
  })

  it('deletes without a confirmation, and undoes it by button and by keys', async () => {
    const undo = () => page.getByRole('button', { name: 'Undo' })
    const removeTwo = async (): Promise<void> => {
      await row(titleOf(2)).locator('label').click()
      await row(titleOf(4)).locator('label').click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('2 entries deleted').hover() // its time stands still
      await page.getByRole('grid').and(page.locator(':focus-within, :focus')).waitFor()
      await row(titleOf(2)).waitFor({ state: 'detached' })
    }
    const { documentId } = (await server.ask('GET', '/api/articles?filters[slug]=article-2'))
      .data[0]
    await server.ask('PUT', `/api/articles/${documentId}?status=draft`, {
      data: { body: 'Other text' },
    })
    await open('?sort=title%3Aasc')
    await row(titleOf(2)).getByText('Changed').waitFor()
    await row(titleOf(4)).getByText('Published').waitFor()
    await removeTwo()
    await undo().click()
    await page.getByText('2 entries restored').waitFor()
    await row(titleOf(2)).getByText('Changed').waitFor()
    await row(titleOf(4)).getByText('Published').waitFor()
    expect(await page.getByText('now a draft').count()).to.equal(0)
    const versionOf = async (status: string) =>
      (await server.ask('GET', `/api/articles/${documentId}?status=${status}`)).data.body
    expect(await versionOf('draft')).to.equal('Other text')
    expect(await versionOf('published')).to.not.equal('Other text')
    await open('?sort=title%3Aasc')
    await removeTwo()
    await page.getByRole('searchbox', { name: 'Search' }).focus()
    await page.keyboard.press('Control+z') // takes back a letter
    await undo().waitFor()
    await page.getByRole('grid').getByRole('row').nth(1).focus()
    await page.keyboard.press('Control+z')
    await page.getByText('2 entries restored').waitFor()
    await row(titleOf(2)).waitFor()
  })

  it('names links before it deletes, and restores entries of a type without drafts', async () => {
    await page.goto(`${server.address}/studio/content/categories`)
    await row('Maps').locator('label').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 entry?' })
    await dialog.getByText('Other entries link to them').waitFor()
    await dialog.getByText(`${titleOf(1)} · Category`).waitFor()
    await expectAccessible(page, 'a deletion of linked entries')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row('Maps').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row('Maps').waitFor({ state: 'detached' })
    expect(await page.getByText('1 selected').count()).to.equal(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('Maps').waitFor()
    await page.getByRole('alertdialog', { name: '1 entry restored' }).first().waitFor()
    expect(await page.getByText('is now a draft').count()).to.equal(0)
  })

  it('names links to all matching entries before it deletes them', async () => {
    const made = await Promise.all(
      Array.from({ length: 55 }, async (_, at) => {
        const slug = `atlas-${at}`
        return server.ask('POST', '/api/categories', { data: { name: `Atlas ${at}`, slug } })
      }),
    )
    await page.goto(`${server.address}/studio/content/categories?sort=name%3Aasc`)
    await row('Atlas 1').first().waitFor()
    expect(await row('Maps').count()).to.equal(0) // on the second page
    await page.getByRole('columnheader').first().locator('label').click()
    await page.getByRole('button', { name: 'Select all 56' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 56 entries?' })
    await dialog.getByText('Other entries link to them').waitFor()
    await dialog.getByText(`${titleOf(1)} · Category`).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    for (const { data } of made) await server.ask('DELETE', `/api/categories/${data.documentId}`)
  })

  it('asks before it deletes more than one page', async () => {
    await open('?sort=title%3Aasc')
    await page.getByRole('columnheader').first().locator('label').click()
    await page.getByRole('button', { name: 'Select all 60' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 60 entries?' })
    await dialog.getByText('from the trash').waitFor()
    await expectAccessible(page, 'delete all that match')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
  })

  it('finds entries, screens and creations in the palette', async () => {
    await open()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('searchbox', { name: 'Search or go to' })
    await box.fill('article 33')
    await page.getByRole('menuitem', { name: titleOf(33) }).waitFor()
    await expectAccessible(page, 'palette')
    await box.fill('api tok')
    await page.getByRole('menuitem', { name: 'API tokens' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'API tokens' }).waitFor()
  })

  it('searches every type in the palette, newest first, and names the omitted types', async () => {
    await server.ask('POST', '/api/currencies', { data: { name: 'Article dollar', code: 'ART' } })
    await server.ask('POST', '/api/currencies', { data: { name: 'Article franc', code: 'ARF' } })
    await server.ask('POST', '/api/cities', { data: { name: 'Article' } })
    await page.route(/city\?.*_q=/, (route) =>
      route.fulfill({ status: 504, json: { error: { status: 504, message: 'It took too long' } } }),
    )
    await open()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('searchbox', { name: 'Search or go to' })
    await box.fill('article')
    await page.getByRole('menuitem', { name: 'Article dollar' }).waitFor()
    await page.getByRole('menuitem', { name: 'Cities: too many entries to search here' }).waitFor()
    const found = page.getByRole('menuitem').filter({ hasText: /^Article [df]/ })
    expect(await found.allTextContents()).to.deep.equal([
      'Article franc Currencies',
      'Article dollar Currencies',
    ])
    expect(await page.getByRole('menuitem', { name: /^Article \d/ }).count()).to.equal(4)
    await page.getByRole('menuitem', { name: 'More in Articles' }).click()
    await page.waitForURL(/articles\?q=article/)
    await expectRows(PAGE_SIZE)
    await page.unrouteAll()
  })

  it('finds entries of other languages in the palette, and runs actions of the page', async () => {
    const { data } = await server.ask('GET', '/api/articles?filters[slug]=article-20')
    const { documentId } = data[0]
    await server.ask('POST', '/admin/locales', { code: 'de' })
    await server.ask('PUT', `/api/articles/${documentId}?locale=de`, {
      data: { title: 'Landkarten', slug: 'landkarten', body: 'Text' },
    })
    await open()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('searchbox', { name: 'Search or go to' })
    await box.fill('landkart')
    await page.getByRole('menuitem', { name: 'Landkarten Articles · German' }).click()
    await page.waitForURL(new RegExp(`articles/${documentId}\\?locale=de`))
    await page.locator('main header').getByText('Published', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await box.fill('unpubl')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click()
    await page.locator('main header').getByText('Draft', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await box.fill('keyb')
    await page.getByRole('menuitem', { name: 'Keyboard' }).click()
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await server.ask('DELETE', '/admin/locales/de')
  })

  it('names failed entries of other pages, and links to their language', async () => {
    const body = { data: { title: 'Without a body', slug: 'no-body' } }
    await server.ask('POST', '/admin/content/api::article.article', body)
    await open('?sort=title%3Aasc')
    expect(await row('Without a body').count()).to.equal(0)
    await page.getByRole('columnheader').first().locator('label').click()
    await page.getByRole('button', { name: /^Select all/ }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: '1 entry failed' })
    await dialog.getByText(/body/).first().waitFor()
    await expectAccessible(page, 'what failed')
    await dialog.getByRole('link', { name: 'Without a body' }).click()
    await page.waitForURL(/locale=en/)
  })

  it('limits its width on a 4K window', async () => {
    await page.setViewportSize({ width: 3840, height: 2160 })
    await open()
    const { width = Infinity } = (await page.getByRole('grid').boundingBox()) ?? {}
    expect(width).to.be.at.most(1760)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('fits 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    await open()
    await expectNoSidewaysScrolling(page, 'list')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('shows the state next to the title on a phone, and all default columns on a tablet', async () => {
    for (const [width, column] of [
      [360, page.getByRole('columnheader', { name: 'State' })],
      [768, page.getByRole('columnheader').last()],
    ] as const) {
      await page.setViewportSize({ width, height: 720 })
      await open()
      const { x = 0, width: wide = Infinity } = (await column.boundingBox()) ?? {}
      expect(x + wide, String(width)).to.be.at.most(width)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('logs no browser errors except a timed-out search', () => {
    const unexpected = window.complaints.filter((text) => !/status of 504/.test(text))
    expect(unexpected).to.deep.equal([])
  })
})
