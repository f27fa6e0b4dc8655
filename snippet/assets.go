package snippet

import (
	_ "embed" // the built scripts
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/asset"
)

// numbersPart is the part of the script that replaces numbers, which pages load that have some.
//
//go:embed dist/numbers.js
var numbersPart []byte

// panelsPart is the part of the script that shows panels: a module that lacks $config, the name of the chat's asset.
//
//go:embed dist/panels.js
var panelsPart []byte

// chatPart is the panel of the chat, which the panels load when somebody chats.
//
//go:embed dist/chat.js
var chatPart []byte

// previewPart is the part of the script that marks what a preview shows.
//
//go:embed dist/preview.js
var previewPart []byte

// fillPart is the part of the script that puts credentials into forms, which pages load whose site has it so.
//
//go:embed dist/fill.js
var fillPart []byte

// proofPart is the part of the script that finds proofs for captchas: a module.
//
//go:embed dist/proof.js
var proofPart []byte

// assets are the lazily loaded parts of the script.
var assets = make(asset.Set)

var (
	numbersName = assets.Add("numbers.js", numbersPart)
	chatName    = assets.Add("chat.js", chatPart)
	panelsName  = assets.Add("panels.js", fmt.Appendf(nil, "const $config=%q;%s", chatName, panelsPart))
	previewName = assets.Add("preview.js", previewPart)
	fillName    = assets.Add("fill.js", fillPart)
	proofName   = assets.Add("proof.js", proofPart)
)

// PanelsAsset is the name of the part that shows panels, among [Assets].
func PanelsAsset() string { return panelsName }

// Assets serves the lazily loaded parts of the script, each under a name that ends with a hash of its content, whatever path stands
// before the name. They may be cached for ever. Other names are answered with 404.
func Assets() asset.Set { return assets }
