import { useEffect } from "react";
import { Link, Links, Meta, Outlet, Scripts } from "react-router";

// The whole document is React's. It tells when effects run.
export default function Root() {
  useEffect(() => {
    document.documentElement.dataset.hydrated = "true";
  }, []);
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <Meta />
        <Links />
      </head>
      <body>
        <nav>
          <Link to="/">Home</Link> <Link to="/contacts">Contacts</Link> <Link to="/constant">Constant</Link>
        </nav>
        <main>
          <Outlet />
        </main>
        <Scripts />
      </body>
    </html>
  );
}
