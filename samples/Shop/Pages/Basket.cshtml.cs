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

    /// <summary>Sets the quantity of an item that is in the basket; 0 takes it out.</summary>
    public async Task<IActionResult> OnPostChangeAsync(int id, int quantity, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid || quantity is < 0 or > Basket.MaxQuantity)
        {
            return BadRequest();
        }

        var basket = await Basket.OpenAsync(HttpContext.Session, cancellationToken);
        if (basket.QuantityOf(id) > 0)
        {
            basket.Set(id, quantity);
        }

        return RedirectToPage();
    }
}
