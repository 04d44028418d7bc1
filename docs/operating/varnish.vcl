vcl 4.1;

# Varnish in front of Quire: /etc/varnish/default.vcl. Works with Varnish 7.1 and later and its xkey (Debian: varnish-modules);
# see docs/delivery.md. Quire: TRUST_PROXY=1 CACHE_TAGS=xkey CACHE_MAX_AGE=60 CDN_PURGE=varnish CDN_PURGE_URL=http://127.0.0.1:6081/

import xkey;

backend default {
  .host = "127.0.0.1";
  .port = "1337";
  .first_byte_timeout = 60s;
}

# Who may purge: where Quire runs.
acl quire {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ quire) {
      return (synth(403));
    }
    return (synth(200, "Purged " + xkey.purge(req.http.xkey-purge)));
  }
  # A stream does not end: nothing of it can be kept.
  if (req.url ~ "^/api/_live") {
    return (pipe);
  }
  # The rest is what Varnish does by itself: requests with a credential or a cookie are passed on.
}

sub vcl_backend_response {
  # What has changed is asked for anew: an answer that is over is no answer.
  if (bereq.url ~ "^/api/_sync") {
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  unset resp.http.xkey;
}
