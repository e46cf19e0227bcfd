using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Baskets;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class BasketModel(ItemStore items) : PageModel
{
    public BasketSummary Summary { get; private set; } = new([]);

    public async Task OnGetAsync(CancellationToken cancellationToken)
    {
        var basket = await Basket.OpenAsync(HttpContext.Session, cancellationToken);
        Summary = await BasketSummary.OfAsync(basket, items, cancellationToken);
    }

    /// <summary>Adds pieces of an item, no more than there are.</summary>
    public async Task<IActionResult> OnPostAddAsync(string? slug, int quantity, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid || slug is null || quantity is < 1 or > Basket.MaxQuantity)
        {
            return BadRequest();
        }

        if (await items.FindAsync(slug, cancellationToken) is not { } item)
        {
            return NotFound();
        }

        var basket = await Basket.OpenAsync(HttpContext.Session, cancellationToken);
        basket.Set(item.Id, Math.Min(basket.QuantityOf(item.Id) + quantity, item.Stock));
        return RedirectToPage();
    }

    /// <summary>Sets quantities of items that are in the basket; 0 takes one out, and so does its button.</summary>
    public async Task<IActionResult> OnPostChangeAsync(
        Dictionary<int, int> quantities, int? remove, CancellationToken cancellationToken) =>
        await TryChangeAsync(quantities, remove, cancellationToken) ? RedirectToPage() : BadRequest();

    /// <summary>The same form, sent by the button of the checkout: what was typed into it counts.</summary>
    public async Task<IActionResult> OnPostCheckoutAsync(
        Dictionary<int, int> quantities, CancellationToken cancellationToken) =>
        await TryChangeAsync(quantities, null, cancellationToken) ? RedirectToPage("/Checkout") : BadRequest();

    private async Task<bool> TryChangeAsync(
        Dictionary<int, int> quantities, int? remove, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid || quantities.Values.Any(quantity => quantity is < 0 or > Basket.MaxQuantity))
        {
            return false;
        }

        var basket = await Basket.OpenAsync(HttpContext.Session, cancellationToken);
        foreach (var (id, quantity) in quantities.Where(line => basket.QuantityOf(line.Key) > 0))
        {
            basket.Set(id, id == remove ? 0 : quantity);
        }

        return true;
    }
}
