import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The API server during development (`npm run dev`). */
const server = process.env['QUIRE_ADDRESS'] ?? 'http://127.0.0.1:1337'

/** React Aria has its words in 34 languages, and ignores those that are undefined. */
const STUDIO_LANGUAGES = ['en-US', 'de-DE']
const LANGUAGE_FILE =
  /\/react-aria[^/]*\/dist\/private\/intl\/(?:[^/]+\/)*([a-z]{2}-[A-Z]{2})\.mjs$/

const leaveOutLanguages: Plugin = {
  name: 'leave-out-languages',
  load: {
    filter: { id: LANGUAGE_FILE },
    handler: (id) => {
      const [, language = ''] = LANGUAGE_FILE.exec(id) ?? []
      return STUDIO_LANGUAGES.includes(language) ? null : 'export default undefined'
    },
  },
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [react(), leaveOutLanguages],
  build: {
    outDir: '../../dist/studio',
    emptyOutDir: true,
    // The server's CSP forbids data URLs for scripts, and the app draws its own icons.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    // The rich text editors are large, but load on demand.
    chunkSizeWarningLimit: 900,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(['/admin', '/api', '/uploads'].map((path) => [path, server])),
  },
})
