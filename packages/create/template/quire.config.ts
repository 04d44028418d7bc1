import { defineConfig } from '@quire/server'
import project from './extensions/project.ts'

// Every setting has an environment variable, which wins: docs/configuration.md of Quire lists both.
export default defineConfig({
  // The path of the URI is the name of the database.
  database: { uri: process.env.MONGODB_URI },

  // http: { port: 1337, corsOrigin: ['https://www.example.org'] },
  // mail: { smtpUrl: process.env.SMTP_URL, from: 'My CMS <cms@example.org>' },

  extensions: [project],
})
