import { useState } from "react";
import { hydrateRoot } from "react-dom/client";
import { Document } from "./page";

const first = JSON.parse(document.getElementById("__NEXT_DATA__").textContent);

// App shows the first page's data, and those of each page that is gone to.
function App() {
  const [shown, show] = useState({ page: first.page, data: first.props.pageProps });
  const go = async (page) => {
    const answer = await fetch("/_next/data/build" + (page === "/" ? "/index" : page) + ".json");
    const { pageProps } = await answer.json();
    history.pushState(null, "", page);
    show({ page, data: pageProps });
  };
  return <Document {...shown} go={go} />;
}

hydrateRoot(document, <App />);
