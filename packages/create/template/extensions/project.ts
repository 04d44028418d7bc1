import { defineExtension } from '@quire/server'

// An example of each kind. Remove the first two slashes of the lines that you need.
export default defineExtension({
  name: 'project',

  contentTypes: {
    // 'api::article.article': {
    //   // Runs before each write. Returns the data to write, or throws a ValidationError to refuse it.
    //   beforeWrite({ data }) {
    //     return typeof data.title === 'string' ? { ...data, title: data.title.trim() } : data
    //   },
    //
    //   // Attributes of responses that are computed and not stored. Increment the version when the function changes.
    //   computed: {
    //     readingMinutes: {
    //       type: 'integer',
    //       version: 1,
    //       from: ['body'],
    //       value: ({ body }) => Math.ceil(String(body ?? '').length / 1200),
    //     },
    //   },
    //
    //   // Runs after each commit, at least once and in order per document. A failure is retried.
    //   async afterCommit({ documentId, changes }) {
    //     console.log(`${documentId}: ${changes.map(({ status, operation }) => `${operation} ${status}`).join(', ')}`)
    //   },
    // },
  },

  // Routes of your own, below /api. Each names a permission, or `public`.
  // routes(router) {
  //   router.get('/api/hello', { permission: 'public' }, (ctx) => {
  //     ctx.body = { hello: 'world' }
  //   })
  // },

  // Run once in the whole cluster: minute, hour, day of the month, month, day of the week.
  // jobs: [
  //   {
  //     name: 'nightly',
  //     cron: '0 3 * * *',
  //     async run({ content, log }) {
  //       const { meta } = await content.articles.find({ fields: ['title'] }, { as: 'system' })
  //       log.info(`There are ${meta.pagination.total} articles`)
  //     },
  //   },
  // ],

  // Run when the server starts and stops.
  // async start({ log }) {
  //   log.info('The project starts')
  // },
  // async stop() {},

  // Replace the built-in storage of files, or the delivery of mail.
  // providers: {
  //   mailer: () => ({
  //     async send({ to, subject }) {
  //       console.log(`A mail to ${to}: ${subject}`)
  //     },
  //   }),
  // },
})
