using System.Globalization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Ordering;

namespace ShopSample.Pages;

/// <summary>The confirmation. Who has the number may see it; nobody keeps a copy of it on the way.</summary>
[ResponseCache(NoStore = true, Location = ResponseCacheLocation.None)]
public sealed class OrderModel(OrderStore orders) : PageModel
{
    public Order Order { get; private set; } = null!;

    public string PlacedOn => Order.PlacedAt.ToString("d MMMM yyyy", CultureInfo.InvariantCulture);

    public async Task<IActionResult> OnGetAsync(string number, CancellationToken cancellationToken)
    {
        if (!OrderNumber.TryParse(number, out var parsed)
            || await orders.FindAsync(parsed, cancellationToken) is not { } order)
        {
            return NotFound();
        }

        Order = order;
        return Page();
    }
}
