import Link from "next/link";
import { Hydrated } from "./client";

export const dynamic = "force-dynamic";
export const metadata = { title: "Lamps", description: "Lamps by phone: +7 (495) 123-45-67" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/" prefetch={false}>Home</Link> <Link href="/contacts" prefetch={false}>Contacts</Link> <Link href="/constant" prefetch={false}>Constant</Link>
        </nav>
        {children}
        <Hydrated />
      </body>
    </html>
  );
}
