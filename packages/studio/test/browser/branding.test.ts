import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst, signIn } from './signed-in.ts'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" onload="top.hacked = 1">
  <script>top.hacked = 1; document.documentElement.setAttribute('data-ran', '')</script>
  <rect width="40" height="20" fill="#0a7d5a"/>
</svg>`

const CONFIG = `export default {
  studio: {
    title: 'Harbour </title> News',
    logo: 'logo.svg',
    favicon: 'logo.svg',
    cssVariables: { '--accent': 'light-dark(#0a6b4d, #6fcf9a)', '--radius': '3px' },
    links: [
      { label: 'Handbook', url: 'https://handbook.example/' },
      { label: 'API', url: '/api/docs' },
    ],
  },
}
`
const IMAGES = new Set(['/studio/branding/logo', '/studio/branding/favicon'])
const NAME = 'Harbour </title> News'

describeInBrowser('the branding', () => {
  let server: Server
  let window: Window
  let folder: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-branded-'))
    writeFileSync(path.join(folder, 'quire.config.mjs'), CONFIG)
    writeFileSync(path.join(folder, 'logo.svg'), LOGO)
    const types = path.join(folder, 'content-types')
    mkdirSync(types)
    server = await startServer(
      { CONTENT_TYPES_DIR: types },
      'dist/src/server/main.js',
      undefined,
      folder,
    )
    window = await openBrowser()
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('shows title, logo and links in the shell, without a request besides the images', async () => {
    const { page, complaints } = window
    await beFirst(page, server)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.reload({ waitUntil: 'networkidle' })
    const navigation = page.getByRole('navigation')
    await navigation.getByText(NAME).waitFor()
    expect(await page.title()).to.contain(` · ${NAME}`)
    const logo = navigation.locator('img[data-logo]')
    expect(await logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).to.be.above(0)
    const handbook = navigation.getByRole('link', { name: 'Handbook' })
    expect(await handbook.getAttribute('href')).to.equal('https://handbook.example/')
    expect(await handbook.getAttribute('target')).to.equal('_blank')
    const docs = navigation.getByRole('link', { name: 'API', exact: true })
    expect(await docs.getAttribute('href')).to.equal('/api/docs')
    const own = asked.filter((target) => !target.startsWith('/studio/assets/'))
    const images = own.filter((target) => target.startsWith('/studio/branding/'))
    expect(images.every((target) => IMAGES.has(target))).to.equal(true)
    const others = own.filter((target) => !IMAGES.has(target) && !target.startsWith('/admin/'))
    expect(others).to.deep.equal(['/studio/'])
    await expectAccessible(page, 'branded shell')
    await expectNoSidewaysScrolling(page, 'branded shell')
    expect(complaints).to.deep.equal([])
  })

  it('sets the variables of both themes', async () => {
    const { page } = window
    for (const [colorScheme, expected] of [
      ['light', 'rgb(10, 107, 77)'],
      ['dark', 'rgb(111, 207, 154)'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      const colour = await page.evaluate(() => {
        const probe = document.createElement('i')
        document.body.append(probe)
        probe.style.setProperty('color', 'var(--accent)')
        const shown = getComputedStyle(probe).color
        probe.remove()
        return shown
      })
      expect(colour).to.equal(expected)
      await expectAccessible(page, `branded shell, ${colorScheme}`)
    }
  })

  it('is part of the sign-in, in both languages', async () => {
    await window.context.clearCookies()
    const german = await openBrowser({ locale: 'de-DE' })
    try {
      for (const [page, title, links] of [
        [window.page, 'Sign in', 'Links'],
        [german.page, 'Anmelden', 'Links'],
      ] as const) {
        await page.goto(`${server.address}/studio/sign-in`)
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await page.getByText(NAME, { exact: true }).waitFor()
        await page.locator('img[data-logo]').waitFor()
        expect(await page.title()).to.equal(`${title} · ${NAME}`)
        await expectAccessible(page, `branded ${title}`)
        if (page === window.page) await signIn(page, server)
        else await signInInGerman(page)
        await page.getByRole('region', { name: links }).getByText('Handbook').waitFor()
      }
    } finally {
      await german.close()
    }
  })

  it('runs no script of an SVG that is opened as a page', async () => {
    const { page } = window
    await page.goto(`${server.address}/studio/branding/logo`)
    const ran = await page.evaluate(() => ({
      hacked: 'hacked' in globalThis,
      marked: document.documentElement.hasAttribute('data-ran'),
    }))
    expect(ran).to.deep.equal({ hacked: false, marked: false })
  })
})

async function signInInGerman(page: Window['page']): Promise<void> {
  await page.locator('input[type=email]').fill(ADA.email)
  await page.locator('input[type=password]').fill(ADA.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
}
