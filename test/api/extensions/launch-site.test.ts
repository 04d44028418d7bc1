import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import configuration from '../../../examples/launch-site/quire.config.ts'
import { checkProject } from '../../../src/cli/project/check-project.ts'
import { ROOT } from '../../support/pages.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const PROJECT = path.join(ROOT, 'examples/launch-site')
const CLI = path.join(ROOT, 'dist/src/cli/cli.js')

const TYPES = [
  'article',
  'blog-page',
  'category',
  'faq',
  'global',
  'logo',
  'page',
  'plan',
  'product',
  'product-page',
  'testimonial',
]

describe('examples/launch-site', () => {
  let folder: string
  let project: string
  let server: TestServer

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-launch-site-'))
    // A copy in its own folder, with the installed package.
    project = path.join(folder, 'site')
    await cp(PROJECT, project, { recursive: true })
    await mkdir(path.join(project, 'node_modules/@quire'), { recursive: true })
    await symlink(ROOT, path.join(project, 'node_modules/@quire/server'))
    server = await serve('launch_site', {
      contentTypes: project,
      locales: ['fr'],
      permitted: TYPES.flatMap((type) =>
        /^(?:global|.*-page)$/.test(type)
          ? [`api::${type}.${type}.find`]
          : [`api::${type}.${type}.find`, `api::${type}.${type}.findOne`],
      ),
      environment: { QUIRE_DATA_DIR: path.join(folder, 'data') },
      extensions: configuration.extensions ?? [],
    })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const apply = async (): Promise<Json> => {
    const words = [CLI, 'apply', 'content', '--json']
    const env = {
      PATH: process.env['PATH'],
      MONGODB_URI: server.uri,
      MONGODB_DATABASE: server.database,
      CONTENT_TYPES_DIR: project,
      QUIRE_DATA_DIR: path.join(folder, 'data'),
    }
    const run = promisify(execFile)(process.execPath, words, { env, cwd: project })
    const { stdout } = await run.catch((error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
      throw new Error(`${stdout}${stderr}`)
    })
    return JSON.parse(stdout)
  }

  /** A request of the front end: anonymous, with the parameters that its client adds. */
  const read = async (target: string): Promise<Json> => {
    const { status, body, text } = await server.get(`/api/${target}`, { token: null })
    expect(status, text).to.equal(200)
    return body.data
  }

  it('starts without a warning and has no code left that Quire does not run', async () => {
    expect(server.takeLog()).to.deep.equal([])
    const { faults, warnings, customCode } = await checkProject(PROJECT)
    expect([faults, warnings, customCode]).to.deep.equal([[], [], []])
  })

  it('stores its content with pictures, and changes none in a second run', async () => {
    const first = await apply()
    expect(first.faults).to.deep.equal([])
    expect(first.media).to.deep.equal({ added: 5, updated: 0, unchanged: 0 })
    const second = await apply()
    expect(second.faults).to.deep.equal([])
    for (const [name, counts] of Object.entries<Json>(second.files)) {
      expect(counts, name).to.include({ created: 0, updated: 0, failed: 0 })
    }
  })

  it('answers the requests for the layout', async () => {
    const { navbar, footer, seo } = await read('global?locale=en&status=published')
    expect(navbar.left_navbar_items.map(({ URL }: Json) => URL)).to.deep.equal([
      '/products',
      '/blog',
    ])
    expect(navbar.logo.image.url).to.match(/^\/uploads\//)
    expect(footer.logo.company).to.equal('Meridian')
    expect(footer.policy_links[0].text).to.equal('Privacy')
    expect(seo.metaTitle).to.equal('Meridian')
  })

  it('answers the requests for a page by its slug', async () => {
    const [page] = await read('pages?filters[slug]=homepage&filters[locale]=en')
    const zone: Json = Object.fromEntries(
      page.dynamic_zone.map((part: Json) => [part.__component.replace('dynamic-zone.', ''), part]),
    )
    expect(zone.hero.CTAs[0].URL).to.equal('/products')
    expect(zone.features.cards[0].icon.width).to.equal(120)
    expect(zone.testimonials.testimonials[0].user.image.alternativeText).to.equal(
      'Portrait of Anna Roth',
    )
    const [plan] = zone.pricing.plans
    expect(plan.perks.map(({ text }: Json) => text)).to.deep.equal([
      'Ten globes',
      'A map for the wall',
    ])
    expect([plan.CTA.URL, plan.product.name]).to.deep.equal(['/contact', 'Desk globe'])
    expect(zone.faq.faqs).to.have.length(2)
    expect(zone.cta.CTAs[0].text).to.equal('Contact')
    expect(page.localizations.map(({ locale, slug }: Json) => [locale, slug])).to.deep.equal([
      ['fr', 'accueil'],
    ])
    const [french] = await read('pages?filters[slug]=accueil&locale=fr')
    expect(french.dynamic_zone[0].heading).to.equal('Le monde sur votre bureau')
    expect(french.localizations[0].slug).to.equal('homepage')
  })

  it('answers the requests for the metadata of a page', async () => {
    const [page] = await read(
      'pages?filters[slug]=homepage&filters[locale]=en&populate=seo.metaImage',
    )
    expect(page.seo.metaImage.url).to.match(/^\/uploads\//)
    expect(page).to.not.have.property('dynamic_zone')
  })

  it('answers the requests of the blog', async () => {
    const blog = await read('blog-page?locale=en&status=published')
    expect([blog.heading, blog.seo.metaImage.width]).to.deep.equal(['Blog', 120])
    expect(blog.localizations[0].locale).to.equal('fr')
    const articles = await read('articles?filters[locale][$eq]=en&status=published')
    expect(articles.map(({ title, image }: Json) => [title, image.width])).to.have.deep.members([
      ['How globes are made', 120],
      ['A short history of maps', 120],
    ])
    const [article] = await read('articles?filters[slug]=how-globes-are-made&filters[locale]=en')
    expect(article.content[0].children[0].text).to.equal('Each globe begins with a ball.')
    expect(article.categories[0].product.slug).to.equal('desk-globe')
    const [related] = article.dynamic_zone
    expect(related.articles[0].image.width).to.equal(120)
    expect(article.localizations[0].slug).to.equal('comment-on-fabrique-un-globe')
  })

  it('answers the requests of the products', async () => {
    expect((await read('product-page?locale=en&status=published')).heading).to.equal('Products')
    const products = await read('products?status=published')
    expect(products.filter(({ featured }: Json) => featured === true)).to.have.length(1)
    const [globe] = await read('products?filters[slug]=desk-globe')
    expect(globe.images[0].alternativeText).to.equal('A globe on a desk')
    expect(globe.plans[0].name).to.equal('Classroom')
    expect(globe.categories[0].name).to.equal('Geography')
    const [related, cta] = globe.dynamic_zone
    expect(related.products[0].images[0].alternativeText).to.equal('An open atlas')
    expect(cta.CTAs[0].text).to.equal('Order')
    const [metadata] = await read('products?filters[slug]=desk-globe&populate=seo.metaImage')
    expect(metadata.seo.metaImage.width).to.equal(120)
  })

  it('logs the editorial stages of an article and refuses other orders', async () => {
    const [article] = (await server.get('/api/articles?filters[slug]=a-short-history-of-maps')).body
      .data
    const target = `/api/articles/${article.documentId}`
    const refused = await server.put(target, { stage: 'Approved' })
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      400,
      'An article cannot go from Draft to Approved',
    ])
    for (const stage of ['In review', 'Changes requested', 'In review', 'Approved']) {
      expect((await server.put(target, { stage })).status).to.equal(200)
    }
    await server.put(target, { title: 'A history of maps', stages: [] })
    const { body } = await server.get(target)
    expect(body.data.stages.map(({ name }: Json) => name)).to.deep.equal([
      'In review',
      'Changes requested',
      'In review',
      'Approved',
    ])
    expect(
      (await read('articles?filters[title]=A history of maps'.replaceAll(' ', '%20')))[0].stage,
    ).to.equal('Approved')
  })
})
